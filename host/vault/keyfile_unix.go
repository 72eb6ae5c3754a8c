//go:build unix

package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openNoFollow neither follows a link in path's last part nor waits for a named pipe's
// writer.
func openNoFollow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// isLink reports whether err is O_NOFOLLOW's refusal (FreeBSD's is EMLINK).
func isLink(err error) bool { return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) }

// checkOwner refuses a file that others can read or write.
func checkOwner(path string, info fs.FileInfo) error {
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return unsafeFile(path, fmt.Sprintf("others may use it (mode %s)", perm),
			"chmod 600 "+path+"; if others have had a look, set the credentials anew")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int64(st.Uid) != int64(os.Geteuid()) {
		return unsafeFile(path, "it belongs to another user", "run as the user who stored the credentials")
	}
	return nil
}

// lock serializes processes that create a key in dir, until the returned func is
// called. If a folder cannot be locked, the first process to take the file's name
// wins.
func lock(dir string) (unlock func()) {
	d, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	_ = unix.Flock(int(d.Fd()), unix.LOCK_EX)
	return func() { _ = d.Close() }
}
