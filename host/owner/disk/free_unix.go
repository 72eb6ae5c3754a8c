//go:build linux || darwin

package disk

import (
	"golang.org/x/sys/unix"
)

// Free returns what an ordinary user may still write to dir's disk.
func Free(dir string) (uint64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return st.Bavail * uint64(st.Bsize), true
}
