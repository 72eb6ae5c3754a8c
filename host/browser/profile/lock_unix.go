//go:build unix

package profile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock takes the lock of f if it is free. It is the process's until f is closed, also
// by the process's end.
func TryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
