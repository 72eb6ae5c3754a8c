package charset

import "unicode/utf8"

// high are the characters of Windows-1252 between 0x80 and 0x9f; the others above 0x7f are those
// of Unicode (https://encoding.spec.whatwg.org/index-windows-1252.txt).
var high = [32]rune{
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
}

// Latin returns the character that Windows-1252 has for a byte.
func Latin(c byte) rune {
	if c >= 0x80 && c < 0xa0 {
		return high[c-0x80]
	}
	return rune(c)
}

// Text returns bytes as UTF-8, and how many of them were not and were taken for Windows-1252.
func Text(b []byte) (text string, taken int) {
	if utf8.Valid(b) {
		return string(b), 0
	}
	out, taken := appendText(make([]byte, 0, len(b)+len(b)/8), b)
	return string(out), taken
}

// appendText appends b as UTF-8.
func appendText(out, b []byte) (_ []byte, taken int) {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			out, b = append(out, b[0]), b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			out, b = utf8.AppendRune(out, Latin(b[0])), b[1:]
			taken++
			continue
		}
		out, b = append(out, b[:n]...), b[n:]
	}
	return out, taken
}
