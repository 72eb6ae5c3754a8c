package zstd

import "math/bits"

// xxhash is XXH64 with seed 0, whose low half is a frame's checksum
// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
type xxhash struct {
	lanes [4]uint64
	total uint64
	rest  [32]byte // not hashed yet: total%32 bytes
}

const (
	prime1 uint64 = 0x9e3779b185ebca87
	prime2 uint64 = 0xc2b2ae3d27d4eb4f
	prime3 uint64 = 0x165667b19e3779f9
	prime4 uint64 = 0x85ebca77c2b2ae63
	prime5 uint64 = 0x27d4eb2f165667c5
)

func (x *xxhash) reset() {
	var p1, p2 = prime1, prime2
	*x = xxhash{lanes: [4]uint64{p1 + p2, p2, 0, -p1}}
}

func round(lane, in uint64) uint64 { return bits.RotateLeft64(lane+in*prime2, 31) * prime1 }

func (x *xxhash) stripe(p []byte) {
	x.lanes[0] = round(x.lanes[0], little64(p))
	x.lanes[1] = round(x.lanes[1], little64(p[8:]))
	x.lanes[2] = round(x.lanes[2], little64(p[16:]))
	x.lanes[3] = round(x.lanes[3], little64(p[24:]))
}

func (x *xxhash) write(p []byte) {
	held := int(x.total % 32)
	x.total += uint64(len(p))
	if held > 0 {
		n := copy(x.rest[held:], p)
		p = p[n:]
		if held+n < len(x.rest) {
			return
		}
		x.stripe(x.rest[:])
	}
	for ; len(p) >= len(x.rest); p = p[len(x.rest):] {
		x.stripe(p)
	}
	copy(x.rest[:], p)
}

func (x *xxhash) sum() uint64 {
	h := prime5
	if x.total >= 32 {
		l := &x.lanes
		h = bits.RotateLeft64(l[0], 1) + bits.RotateLeft64(l[1], 7) + bits.RotateLeft64(l[2], 12) + bits.RotateLeft64(l[3], 18)
		for _, lane := range l {
			h = (h^round(0, lane))*prime1 + prime4
		}
	}
	h += x.total
	p := x.rest[:x.total%32]
	for ; len(p) >= 8; p = p[8:] {
		h = bits.RotateLeft64(h^round(0, little64(p)), 27)*prime1 + prime4
	}
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft64(h^uint64(little32(p))*prime1, 23)*prime2 + prime3
	}
	for _, b := range p {
		h = bits.RotateLeft64(h^uint64(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}
