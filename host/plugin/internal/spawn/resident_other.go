//go:build !linux

package spawn

// Resident says that the memory of a process is unknown.
func Resident(int) (n int64, known bool) { return 0, false }
