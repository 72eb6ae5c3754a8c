package profile

import (
	"path/filepath"
	"syscall"
)

// Kinds of file systems that live in memory (statfs(2)).
const (
	tmpfs = 0x01021994
	ramfs = 0x858458f6
)

// Volatile reports whether a file lies, or would lie, in memory.
func Volatile(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		var at syscall.Statfs_t
		if err := syscall.Statfs(dir, &at); err == nil {
			return at.Type == tmpfs || at.Type == ramfs
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
