package zstd

import "math/bits"

// backward reads bits from the end of a text to its beginning, as FSE and Huffman streams are
// read (RFC 8878, section 4.1). Behind the beginning there are zeros, and over says so.
type backward struct {
	src  []byte // not taken into acc yet
	acc  uint64 // the low n bits are still to be read, the highest of them first
	n    uint
	over bool
}

// open starts at the last byte, below its highest set bit.
func (b *backward) open(src []byte) bool {
	if len(src) == 0 || src[len(src)-1] == 0 {
		return false
	}
	last := src[len(src)-1]
	*b = backward{src: src[:len(src)-1], acc: uint64(last), n: uint(bits.Len8(last)) - 1}
	return true
}

// fill takes bytes into acc, so that at least 32 bits are there, or all that are left.
func (b *backward) fill() {
	if b.n > 32 {
		return
	}
	if i := len(b.src) - 4; i >= 0 {
		b.acc = b.acc<<32 | uint64(little32(b.src[i:]))
		b.src = b.src[:i]
		b.n += 32
		return
	}
	for i := len(b.src) - 1; i >= 0; i-- {
		b.acc = b.acc<<8 | uint64(b.src[i])
		b.n += 8
	}
	b.src = nil
}

// read returns the next k bits, at most 32.
func (b *backward) read(k uint) uint32 {
	if b.n < k {
		if b.fill(); b.n < k {
			v := b.acc << (k - b.n) & (1<<k - 1)
			b.n, b.over = 0, true
			return uint32(v)
		}
	}
	b.n -= k
	return uint32(b.acc >> b.n & (1<<k - 1))
}

// left returns how many bits are still to be read.
func (b *backward) left() int { return 8*len(b.src) + int(b.n) }

// ended reports whether exactly all bits were read.
func (b *backward) ended() bool { return !b.over && b.n == 0 && len(b.src) == 0 }

// forward reads bits from the beginning of a text, the lowest of a byte first, as the
// description of a table is read.
type forward struct {
	src []byte
	at  int // in bits
}

// peek returns the next k bits, at most 16; behind the end there are zeros.
func (f *forward) peek(k int) int {
	v := 0
	for i, at := 0, f.at>>3; i < 3 && at+i < len(f.src); i++ {
		v |= int(f.src[at+i]) << (8 * i)
	}
	return v >> (f.at & 7) & (1<<k - 1)
}

func (f *forward) read(k int) int {
	v := f.peek(k)
	f.at += k
	return v
}

// bytes returns how many bytes were begun, or -1 when they are more than there are.
func (f *forward) bytes() int {
	n := (f.at + 7) >> 3
	if n > len(f.src) {
		return -1
	}
	return n
}

// little32 reads four bytes, the lowest first; encoding/binary links reflect.
func little32(b []byte) uint32 {
	b = b[:4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func little64(b []byte) uint64 { return uint64(little32(b)) | uint64(little32(b[4:]))<<32 }
