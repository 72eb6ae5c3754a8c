//go:build unix

package rootfs

import "syscall"

// openFlags keep an open from hanging on a named pipe that took a regular
// file's place, and from making a terminal ours.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
