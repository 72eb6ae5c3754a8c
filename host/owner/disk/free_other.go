//go:build !linux && !darwin

package disk

// Free says that the free space is unknown.
func Free(string) (uint64, bool) { return 0, false }

func total(string) (uint64, bool) { return 0, false }

func sameDisk(string, string) bool { return false }

// Writable reports whether a file or folder can be written to as far as is known.
func Writable(string) bool { return true }
