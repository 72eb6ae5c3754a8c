//go:build unix

package browser

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether path names a private file of this user, of that type.
func ours(path string, kind fs.FileMode) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != kind || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
