//go:build !linux && !darwin

package disk

// Free says that the free space is unknown.
func Free(string) (uint64, bool) { return 0, false }
