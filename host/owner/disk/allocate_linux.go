package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// allocate takes size bytes of the disk for f without writing them, where the file system
// can.
func allocate(f *os.File, size uint64) error {
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(size)); err == nil {
		return nil
	}
	return fill(f, size)
}
