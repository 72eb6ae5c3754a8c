package fingerprint

// Sum48 is 48 bits over a record's data, never 0: it detects change, it
// does not defend against anybody. Its spreading is Mix's, less the last steps.
func Sum48(b []byte) uint64 {
	sum := Bytes(Start, b)
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) & Mask48
	if sum == 0 {
		return 1
	}
	return sum
}
