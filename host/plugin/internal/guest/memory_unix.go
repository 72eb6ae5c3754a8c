//go:build unix

package guest

import "golang.org/x/sys/unix"

// region is a reserved range of addresses outside the Go heap: growing it moves
// nothing, copies nothing and leaves no garbage, so the worker's resident size is the
// guest's own.
type region struct {
	mem  []byte
	size int
}

func reserve(n uint64) region {
	if n == 0 {
		return region{}
	}
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return region{}
	}
	return region{mem: mem}
}

func (r *region) grow(size uint64) []byte {
	if size == 0 {
		return []byte{}
	}
	if size > uint64(len(r.mem)) {
		return nil
	}
	n := int(size)
	if n > r.size {
		if err := unix.Mprotect(r.mem[r.size:n], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return nil
		}
		r.size = n
	}
	return r.mem[:n:n]
}

func (r *region) release() {
	if r.mem != nil {
		_ = unix.Munmap(r.mem)
		r.mem, r.size = nil, 0
	}
}
