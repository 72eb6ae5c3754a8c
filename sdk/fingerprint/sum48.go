package fingerprint

// Sum48 is 48 bits over a record's data, never 0: it detects change, it
// does not defend against anybody. FNV-1a, eight bytes a step.
func Sum48(b []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	sum := uint64(offset)
	for ; len(b) >= 8; b = b[8:] {
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		sum = (sum ^ v) * prime
		sum ^= sum >> 29
	}
	for _, c := range b {
		sum = (sum ^ uint64(c)) * prime
	}
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) & (1<<48 - 1)
	if sum == 0 {
		return 1
	}
	return sum
}
