package room

import "golang.org/x/sys/unix"

// memory returns the bytes of memory of this machine.
func memory() (bytes uint64, known bool) {
	bytes, err := unix.SysctlUint64("hw.memsize")
	return bytes, err == nil
}
