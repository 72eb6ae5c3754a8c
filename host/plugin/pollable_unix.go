//go:build unix

package plugin

import (
	"os"
	"syscall"
)

// pollable returns the pipe f as a file of the runtime's poller: a goroutine
// that waits for it holds no thread, and whoever it wakes runs on the same one.
// A file that cannot be polled is returned as it is. f must not be used besides,
// and not be collected before the returned one.
func pollable(f *os.File) *os.File {
	conn, err := f.SyscallConn()
	if err != nil {
		return f
	}
	polled := f
	err = conn.Control(func(fd uintptr) {
		if syscall.SetNonblock(int(fd), true) == nil { //nolint:gosec // a descriptor
			polled = os.NewFile(fd, f.Name())
		}
	})
	if err != nil || polled == nil {
		return f
	}
	return polled
}
