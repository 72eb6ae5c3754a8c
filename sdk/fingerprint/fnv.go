package fingerprint

// Start is the first sum: FNV-1a, 64 bits. Connectors build a sum from the steps below,
// and keep its number in cursors.
const Start uint64 = 14695981039346656037

const prime = 1099511628211

// Step takes one value into a sum.
func Step(sum, v uint64) uint64 { return (sum ^ v) * prime }

// Text takes text, a byte a step.
func Text[T string | []byte](sum uint64, text T) uint64 {
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * prime
	}
	return sum
}

// Bytes adds bytes, eight a step where it can, because a guest pays for every step of a
// loop. Its sum differs from Text's.
func Bytes(sum uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		sum = (sum ^ v) * prime
		sum ^= sum >> 29
	}
	return Text(sum, b)
}

// Mix spreads a sum over all its bits, so that sums of sums do not cancel out.
func Mix(sum uint64) uint64 {
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) * 0x94d049bb133111eb
	return sum ^ sum>>31
}
