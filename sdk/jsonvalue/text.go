package jsonvalue

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/internal/swar"
)

// appendDecoded appends the decoded text of the inside of a valid JSON string, with
// U+FFFD for invalid parts.
func appendDecoded(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		n := swar.PlainPrefix(raw[i:])
		dst = append(dst, raw[i:i+n]...)
		if i += n; i >= len(raw) {
			break
		}
		if raw[i] != '\\' {
			r, size := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		if raw[i+1] == 'u' {
			r, size := decodeEscape(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		dst = append(dst, unescape(raw[i+1]))
		i += 2
	}
	return dst
}

// decodeEscape reads the \u escape that s starts with, together with the
// second half of a surrogate pair, and returns how long they are.
func decodeEscape(s []byte) (rune, int) {
	r, _ := hex4(s[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		low, _ := hex4(s[8:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
