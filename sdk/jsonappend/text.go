package jsonappend

import (
	"unicode/utf8"
	"unsafe"

	"github.com/pdpp-host/pdpp-host/sdk/internal/swar"
)

const (
	hexDigits   = "0123456789abcdef"
	replacement = "\uFFFD"
)

// String appends s as a JSON string, quotes included. Invalid UTF-8 in s is
// replaced, one U+FFFD for each bad byte, as a range over s does.
func String(dst []byte, s string) []byte {
	return Bytes(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
}

// Bytes is String for text held in a byte slice.
func Bytes(dst, s []byte) []byte {
	dst = append(dst, '"')
	dst = text(dst, s)
	return append(dst, '"')
}

// text appends s as the inside of a JSON string. Runs that need no escaping
// are copied whole.
func text(dst, s []byte) []byte {
	start := 0
	for i := 0; ; {
		i += swar.PlainPrefix(s[i:])
		if i == len(s) {
			return append(dst, s[start:]...)
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, replacement...)
				i++
				start = i
				continue
			}
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = escape(dst, c)
		i++
		start = i
	}
}

// escape appends the escape of an ASCII byte that a JSON string cannot contain
// unescaped.
func escape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// Rune appends one code point as the inside of a JSON string: escaped where it
// must be, U+FFFD where it is no Unicode scalar value.
func Rune(dst []byte, r rune) []byte {
	if r >= 0 && r < utf8.RuneSelf {
		c := byte(r)
		if c < ' ' || c == '"' || c == '\\' {
			return escape(dst, c)
		}
		return append(dst, c)
	}
	return utf8.AppendRune(dst, r)
}

// Name appends the comma that is due and then name and colon, for the next
// member of an object. A comma is due unless dst ends in '{'.
func Name(dst []byte, name string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	dst = String(dst, name)
	return append(dst, ':')
}

// Elem appends the comma that is due before the next element of an array. A
// comma is due unless dst ends in '['.
func Elem(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// Strings appends list as an array of strings.
func Strings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for _, s := range list {
		dst = String(Elem(dst), s)
	}
	return append(dst, ']')
}
