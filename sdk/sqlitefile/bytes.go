package sqlitefile

// encoding/binary is not used: it imports reflect, which the SDK keeps out of
// guests.

func be16(b []byte) int { return int(b[0])<<8 | int(b[1]) }

func be32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func le32(b []byte) uint32 {
	return uint32(b[3])<<24 | uint32(b[2])<<16 | uint32(b[1])<<8 | uint32(b[0])
}

// signed reads b (1 to 8 bytes) as a big-endian two's complement integer.
func signed(b []byte) int64 {
	v := int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return v
}

// varint reads section 1.6's variable-length integer from the front of b and
// returns it with its length, or length 0 when b ends inside it.
func varint(b []byte) (v uint64, n int) {
	for i := range 8 {
		if i >= len(b) {
			return 0, 0
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	if len(b) < 9 {
		return 0, 0
	}
	return v<<8 | uint64(b[8]), 9
}
