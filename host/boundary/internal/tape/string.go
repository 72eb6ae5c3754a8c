package tape

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, with its high bit, each byte of w that is below 0x20, a quote, a
// backslash, or above 0x7f. A borrow may mark a byte after (never before) a true one,
// so the first mark is correct.
func special(w uint64) uint64 {
	control := w - ones*0x20
	quote := (w ^ ones*'"') - ones
	slash := (w ^ ones*'\\') - ones
	return (control | quote | slash | w) & highs
}

// text scans the inside of a string from i on and returns the position of its closing
// quote.
func (t *Tape) text(src []byte, i int) (end int, f flags, err error) {
	for {
		for i+8 <= len(src) {
			w := binary.LittleEndian.Uint64(src[i:])
			if special(w) != 0 {
				break
			}
			i += 8
		}
		for i < len(src) && plain[src[i]] {
			i++
		}
		if i >= len(src) {
			return 0, 0, &Error{Syntax, i}
		}
		switch c := src[i]; {
		case c == '"':
			return i, f, nil
		case c == '\\':
			f |= escaped
			n := escape(src[i:])
			if n <= 0 {
				fault := Syntax
				if n < 0 {
					fault = InvalidUTF8
				}
				return 0, 0, &Error{fault, i}
			}
			i += n
		case c < ' ':
			return 0, 0, &Error{Syntax, i}
		default:
			f |= nonASCII
			for i < len(src) && src[i] >= utf8.RuneSelf {
				r, n := utf8.DecodeRune(src[i:])
				if r == utf8.RuneError && n == 1 {
					return 0, 0, &Error{InvalidUTF8, i}
				}
				i += n
			}
		}
	}
}

// plain marks the bytes that represent themselves in a string.
var plain = func() (p [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		p[c] = c != '"' && c != '\\'
	}
	return p
}()

// escape returns the length of the escape at the start of b; 0 if it is invalid, and
// -1 for half of a surrogate pair, which is no character.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	r := hex4(b[2:])
	switch {
	case r < 0:
		return 0
	case r < 0xd800 || r > 0xdfff:
		return 6
	case r > 0xdbff || len(b) < 12 || b[6] != '\\' || b[7] != 'u':
		return -1
	}
	if low := hex4(b[8:]); low < 0xdc00 || low > 0xdfff {
		return -1
	}
	return 12
}
