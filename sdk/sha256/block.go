package sha256

import "math/bits"

// constants are the first 32 bits of the fractional parts of the cube roots of
// the first 64 primes (FIPS 180-4, section 4.2.2).
var constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// round is one round, with x the constant and the word of the schedule. The
// caller renames the variables instead of moving their values.
func round(a, b, c, d, e, f, g, h, x uint32) (uint32, uint32) {
	h += (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)) + (g ^ e&(f^g)) + x
	return d + h, h + (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) + (a&b | c&(a|b))
}

// schedule makes the next word out of those 16, 15, 7 and 2 before it.
func schedule(w16, w15, w7, w2 uint32) uint32 {
	return w16 + (bits.RotateLeft32(w15, -7) ^ bits.RotateLeft32(w15, -18) ^ w15>>3) + w7 +
		(bits.RotateLeft32(w2, -17) ^ bits.RotateLeft32(w2, -19) ^ w2>>10)
}

// blocks hashes p, whose length is a multiple of blockSize, into s.
func blocks(s *[8]uint32, p []byte) {
	var w [16]uint32
	for ; len(p) >= blockSize; p = p[blockSize:] {
		for i := range w {
			q := p[4*i : 4*i+4]
			w[i] = uint32(q[0])<<24 | uint32(q[1])<<16 | uint32(q[2])<<8 | uint32(q[3])
		}
		a, b, c, d, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for i := 0; ; i += 16 {
			k := (*[16]uint32)(constants[i:])
			d, h = round(a, b, c, d, e, f, g, h, k[0]+w[0])
			c, g = round(h, a, b, c, d, e, f, g, k[1]+w[1])
			b, f = round(g, h, a, b, c, d, e, f, k[2]+w[2])
			a, e = round(f, g, h, a, b, c, d, e, k[3]+w[3])
			h, d = round(e, f, g, h, a, b, c, d, k[4]+w[4])
			g, c = round(d, e, f, g, h, a, b, c, k[5]+w[5])
			f, b = round(c, d, e, f, g, h, a, b, k[6]+w[6])
			e, a = round(b, c, d, e, f, g, h, a, k[7]+w[7])
			d, h = round(a, b, c, d, e, f, g, h, k[8]+w[8])
			c, g = round(h, a, b, c, d, e, f, g, k[9]+w[9])
			b, f = round(g, h, a, b, c, d, e, f, k[10]+w[10])
			a, e = round(f, g, h, a, b, c, d, e, k[11]+w[11])
			h, d = round(e, f, g, h, a, b, c, d, k[12]+w[12])
			g, c = round(d, e, f, g, h, a, b, c, k[13]+w[13])
			f, b = round(c, d, e, f, g, h, a, b, k[14]+w[14])
			e, a = round(b, c, d, e, f, g, h, a, k[15]+w[15])
			if i == 48 {
				break
			}
			w[0] = schedule(w[0], w[1], w[9], w[14])
			w[1] = schedule(w[1], w[2], w[10], w[15])
			w[2] = schedule(w[2], w[3], w[11], w[0])
			w[3] = schedule(w[3], w[4], w[12], w[1])
			w[4] = schedule(w[4], w[5], w[13], w[2])
			w[5] = schedule(w[5], w[6], w[14], w[3])
			w[6] = schedule(w[6], w[7], w[15], w[4])
			w[7] = schedule(w[7], w[8], w[0], w[5])
			w[8] = schedule(w[8], w[9], w[1], w[6])
			w[9] = schedule(w[9], w[10], w[2], w[7])
			w[10] = schedule(w[10], w[11], w[3], w[8])
			w[11] = schedule(w[11], w[12], w[4], w[9])
			w[12] = schedule(w[12], w[13], w[5], w[10])
			w[13] = schedule(w[13], w[14], w[6], w[11])
			w[14] = schedule(w[14], w[15], w[7], w[12])
			w[15] = schedule(w[15], w[0], w[8], w[13])
		}
		s[0], s[1], s[2], s[3] = s[0]+a, s[1]+b, s[2]+c, s[3]+d
		s[4], s[5], s[6], s[7] = s[4]+e, s[5]+f, s[6]+g, s[7]+h
	}
}
