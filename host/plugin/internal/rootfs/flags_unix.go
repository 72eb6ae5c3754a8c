//go:build unix

package rootfs

import "syscall"

// OpenFlags keep an open from hanging on a named pipe that replaced a regular file,
// and from making a terminal the controlling one.
const OpenFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
