//go:build unix

package rootfs

import "syscall"

// openFlags keep an open from hanging on a named pipe that replaced a regular file,
// and from making a terminal the controlling one.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
