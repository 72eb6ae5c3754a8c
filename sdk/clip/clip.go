package clip

import "unicode/utf8"

// Text returns the first n bytes of s at most.
func Text(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Bytes is Text for text in a buffer, of which it copies no more than it returns, and reports
// whether something was left out.
func Bytes(b []byte, n int) (text string, cut bool) {
	return Text(string(b[:min(len(b), n+utf8.UTFMax)]), n), len(b) > n
}

// Whole drops an incomplete code point from the end of b.
func Whole(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		c := b[len(b)-i]
		if c < utf8.RuneSelf {
			return b
		}
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			return b
		}
	}
	return b
}
