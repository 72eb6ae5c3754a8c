//go:build !unix

package rootfs

const openFlags = 0
