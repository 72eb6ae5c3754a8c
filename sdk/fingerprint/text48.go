package fingerprint

import "strings"

// textDigits times six bits are a sum.
const textDigits = 8

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"

// AppendText48 appends a sum of 48 bits as eight characters that need no escape in a
// JSON string. They are shorter than its number.
func AppendText48(b []byte, sum uint64) []byte {
	for shift := (textDigits - 1) * 6; shift >= 0; shift -= 6 {
		b = append(b, digits[sum>>shift&63])
	}
	return b
}

// ReadText48 reads the output of AppendText48, and nothing else.
func ReadText48(text string) (sum uint64, ok bool) {
	if len(text) != textDigits {
		return 0, false
	}
	for i := range len(text) {
		d := strings.IndexByte(digits, text[i])
		if d < 0 {
			return 0, false
		}
		sum = sum<<6 | uint64(d)
	}
	return sum, true
}
