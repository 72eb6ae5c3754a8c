//go:build linux || darwin

package disk

import (
	"golang.org/x/sys/unix"
)

// Free returns what an ordinary user may still write to dir's disk.
func Free(dir string) (uint64, bool) {
	st, ok := stat(dir)
	return st.Bavail * uint64(st.Bsize), ok
}

// total returns what the disk holds in all.
func total(dir string) (uint64, bool) {
	st, ok := stat(dir)
	return st.Blocks * uint64(st.Bsize), ok
}

func stat(dir string) (st unix.Statfs_t, ok bool) {
	err := unix.Statfs(dir, &st)
	return st, err == nil
}

// sameDisk reports whether two folders are there and lie on one disk.
func sameDisk(a, b string) bool {
	var one, other unix.Stat_t
	return unix.Stat(a, &one) == nil && unix.Stat(b, &other) == nil && one.Dev == other.Dev
}

// Writable reports whether this process may write to a file or a folder. It writes nothing.
func Writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }
