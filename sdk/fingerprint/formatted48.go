package fingerprint

// Mask48 keeps the bits that every reader of a JSON number reads exactly.
const Mask48 = 1<<48 - 1

// Formatted48 is 48 bits over a record's data, never 0, which differ from one
// format of records to the next: records that are built differently are new
// ones. FNV-1a, a byte a step.
func Formatted48(b []byte, format uint64) uint64 {
	sum := Text(Start+format, b)
	sum ^= sum >> 29
	if sum &= Mask48; sum == 0 {
		return 1
	}
	return sum
}
