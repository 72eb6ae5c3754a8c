//go:build !linux && !darwin

package owner

// FreeBytes says that the free space is unknown.
func FreeBytes(string) (uint64, bool) { return 0, false }
