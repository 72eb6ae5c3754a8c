package tape

import (
	"bytes"
	"hash/maphash"
)

// pairwise is the number of members up to which names are compared one by one.
const pairwise = 16

// names finds a repeated name among many in linear time. The hash is seeded at
// random, so that a guest cannot choose names that collide.
type names struct {
	seed   maphash.Seed
	seeded bool
	slots  []uint32 // node index + 1
	a, b   []byte   // decoded names
}

// duplicate returns the byte offset of a repeated name of object i, or -1.
func (t *Tape) duplicate(i int) int {
	count := t.nodes[i].count
	if count < 2 {
		return -1
	}
	if count > pairwise {
		return t.duplicateHashed(i, count)
	}
	// A set bit means that some earlier name may look like this one: most objects
	// never compare two names.
	var seen uint64
	for k, end := i+1, len(t.nodes); k < end; k = int(t.nodes[k+1].next) {
		n := &t.nodes[k]
		bit := uint64(1) << (signature(t.src[n.start:n.end]) & 63)
		if seen&bit != 0 || n.flags&escaped != 0 {
			for j := i + 1; j < k; j = int(t.nodes[j+1].next) {
				if t.sameName(j, k) {
					return int(n.start) - 1
				}
			}
			if n.flags&escaped != 0 {
				bit = ^uint64(0) // every later name is compared with this one
			}
		}
		seen |= bit
	}
	return -1
}

func signature(b []byte) uint {
	if len(b) == 0 {
		return 0
	}
	return uint(len(b)) + uint(b[0])*5 + uint(b[len(b)-1])*11 + uint(b[len(b)/2])*17
}

func (t *Tape) sameName(a, b int) bool {
	x, plainA := t.Plain(a)
	y, plainB := t.Plain(b)
	if plainA && plainB {
		return bytes.Equal(x, y)
	}
	t.names.a = t.decoded(a, t.names.a)
	t.names.b = t.decoded(b, t.names.b)
	return bytes.Equal(t.names.a, t.names.b)
}

func (t *Tape) decoded(i int, buf []byte) []byte {
	b, ok := t.Plain(i)
	if ok {
		return append(buf[:0], b...)
	}
	return unescape(buf[:0], b)
}

func (t *Tape) duplicateHashed(i int, count uint32) int {
	d := &t.names
	if !d.seeded {
		d.seed, d.seeded = maphash.MakeSeed(), true
	}
	size := 64
	for size < int(count)*2 {
		size *= 2
	}
	if cap(d.slots) < size {
		d.slots = make([]uint32, size)
	}
	slots := d.slots[:size]
	clear(slots)
	if size > keepNodes {
		defer func() { d.slots = nil }()
	}
	mask := uint64(size - 1)
	for k, end := i+1, len(t.nodes); k < end; k = int(t.nodes[k+1].next) {
		name, ok := t.Plain(k)
		if !ok {
			d.a = unescape(d.a[:0], name)
			name = d.a
		}
		at := maphash.Bytes(d.seed, name) & mask
		for slots[at] != 0 {
			if t.sameName(int(slots[at]-1), k) {
				return int(t.nodes[k].start) - 1
			}
			at = (at + 1) & mask
		}
		slots[at] = uint32(k) + 1
	}
	return -1
}
