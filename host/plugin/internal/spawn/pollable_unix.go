//go:build unix

package spawn

import (
	"os"
	"syscall"
)

// Pollable returns the pipe f as a file of the runtime's poller: a goroutine that
// waits for it blocks no thread, and the goroutine that it wakes runs on the same one.
// A file that cannot be polled is returned as it is. The caller must not use f any
// more, and must keep it reachable as long as the returned file.
func Pollable(f *os.File) *os.File {
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
