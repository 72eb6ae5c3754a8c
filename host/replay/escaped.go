package replay

import (
	"encoding/hex"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// replaceEscaped replaces value if some or all of its bytes are escaped as in JSON, in
// addresses or in forms; the combinations are too many to list. marker gets the length of
// what it stands for. It may return text itself.
func replaceEscaped(text []byte, value string, marker func(length int) string) []byte {
	var out []byte
	copied := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != value[0] && c != '\\' && c != '%' && c != '+' {
			continue
		}
		if n := escapedLength(text[i:], value); n > 0 {
			out = append(append(out, text[copied:i]...), marker(n)...)
			copied = i + n
			i = copied - 1
		}
	}
	if copied == 0 {
		return text
	}
	return append(out, text[copied:]...)
}

// escapedLength returns the number of bytes at the start of text that spell value; 0
// if they do not. An ambiguous escape is read as an escape.
func escapedLength(text []byte, value string) int {
	var buf [utf8.UTFMax]byte
	n := 0
	for len(value) > 0 {
		if n >= len(text) {
			return 0
		}
		unit, size := unescape(buf[:0], text[n:])
		switch {
		case len(unit) > 0 && len(unit) <= len(value) && string(unit) == value[:len(unit)]:
			n, value = n+size, value[len(unit):]
		case text[n] == value[0], text[n] == '+' && value[0] == ' ':
			n, value = n+1, value[1:]
		default:
			return 0
		}
	}
	return n
}

// unescape appends the decoded escape at the start of text, and returns the escape's
// length; it appends nothing if there is none.
func unescape(dst, text []byte) ([]byte, int) {
	switch {
	case text[0] == '%' && len(text) >= 3:
		if _, err := hex.Decode(dst[:1], text[1:3]); err == nil {
			return dst[:1], 3
		}
	case text[0] == '\\' && len(text) >= 2:
		if i := indexByte(`"\/bfnrt`, text[1]); i >= 0 {
			return append(dst, "\"\\/\b\f\n\r\t"[i]), 2
		}
		if r, ok := unicodeEscape(text); ok {
			if low, ok := unicodeEscape(text[6:]); ok && utf16.IsSurrogate(r) {
				return utf8.AppendRune(dst, utf16.DecodeRune(r, low)), 12
			}
			return utf8.AppendRune(dst, r), 6
		}
	}
	return nil, 0
}

func unicodeEscape(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(r), err == nil
}

func indexByte(s string, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}
