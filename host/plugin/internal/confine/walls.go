package confine

// Wall is one way in which the system confines a worker.
type Wall struct {
	Name  string // as its documentation spells it, such as "Landlock"
	Holds bool
	// Detail is the version that holds, or why the wall is missing.
	Detail string
}

// Access is what a worker may reach in the file system.
type Access struct {
	// Read are folders that may be read with everything below them. One that does
	// not exist is passed over.
	Read []string
	// Write is one more folder, which may also be written to; "" is none.
	Write string
}
