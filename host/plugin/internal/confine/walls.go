package confine

// Wall is one way in which the system confines a worker.
type Wall struct {
	Name  string // as in its documentation, such as "Landlock"
	Holds bool
	// Detail is the version in force, or why the wall is missing.
	Detail string
}

// Access lists the folders that a worker may reach.
type Access struct {
	// Read are folders that may be read with everything below them. A missing one is
	// skipped.
	Read []string
	// Write is one more folder, which may also be written; "" for none.
	Write string
}
