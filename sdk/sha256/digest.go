package sha256

const (
	// Size is the length of a hash, in bytes.
	Size      = 32
	blockSize = 64
)

// Digest is a hash in the making. Reset it before its first use.
type Digest struct {
	state [8]uint32
	block [blockSize]byte // bytes that do not fill a block yet
	n     int             // how much of block is in use
	total uint64          // bytes hashed
}

// Sum256 returns the hash of p.
func Sum256(p []byte) [Size]byte {
	var d Digest
	d.Reset()
	d.Write(p)
	return d.Sum()
}

// Reset starts anew.
func (d *Digest) Reset() {
	// The first 32 bits of the fractional parts of the square roots of the first
	// 8 primes (FIPS 180-4, section 5.3.3).
	d.state = [8]uint32{
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	}
	d.n, d.total = 0, 0
}

// Write adds p.
func (d *Digest) Write(p []byte) {
	d.total += uint64(len(p))
	if d.n > 0 {
		n := copy(d.block[d.n:], p)
		d.n += n
		p = p[n:]
		if d.n < blockSize {
			return
		}
		blocks(&d.state, d.block[:])
		d.n = 0
	}
	whole := len(p) &^ (blockSize - 1)
	blocks(&d.state, p[:whole])
	d.n = copy(d.block[:], p[whole:])
}

// Sum returns the hash of the bytes written so far. More may be written after it.
func (d *Digest) Sum() (sum [Size]byte) {
	last := *d
	var padding [blockSize + 8]byte
	padding[0] = 0x80
	n := blockSize - 8 - d.n
	if n <= 0 {
		n += blockSize
	}
	for i := range 8 { // the length in bits
		padding[n+i] = byte(d.total << 3 >> (56 - 8*i))
	}
	last.Write(padding[:n+8])
	for i, word := range last.state {
		sum[4*i], sum[4*i+1], sum[4*i+2], sum[4*i+3] = byte(word>>24), byte(word>>16), byte(word>>8), byte(word)
	}
	return sum
}

// ID names something by its parts: the front of their hash, as 24 hexadecimal digits.
func ID(parts ...string) string {
	var d Digest
	d.Reset()
	for _, p := range parts {
		d.Write([]byte(p))
		d.Write([]byte{0}) // ends the part, so that "a", "b" is another name than "ab"
	}
	sum := d.Sum()
	return Hex(sum[:12])
}

// Hex spells bytes, such as those of a sum, as lower-case hexadecimal digits. encoding/hex
// would bring fmt and reflection into a guest.
func Hex(b []byte) string {
	const digits = "0123456789abcdef"
	text := make([]byte, 0, 2*len(b))
	for _, c := range b {
		text = append(text, digits[c>>4], digits[c&15])
	}
	return string(text)
}
