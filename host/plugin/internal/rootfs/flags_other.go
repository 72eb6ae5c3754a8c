//go:build !unix

package rootfs

const OpenFlags = 0
