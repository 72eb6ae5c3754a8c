package jsonraw

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Clipper collects text up to a number of characters (code points) and ignores the rest
// without decoding it. The collected text is valid UTF-8, with U+FFFD for invalid parts.
type Clipper struct {
	Buf  []byte // the text
	Left int    // how many characters still fit
	Over int64  // how many did not fit, after Measure
	Half int    // how many are half of a surrogate pair, which is no character, in an escape

	counts bool
}

// Reset begins a text of so many characters.
func (c *Clipper) Reset(characters int) { *c = Clipper{Buf: c.Buf[:0], Left: characters} }

// Measure is Reset for a text whose whole length is wanted.
func (c *Clipper) Measure(characters int) {
	*c = Clipper{Buf: c.Buf[:0], Left: characters, counts: true}
}

// Full reports whether no more characters fit.
func (c *Clipper) Full() bool { return c.Left <= 0 }

// Rune appends one character.
func (c *Clipper) Rune(r rune) {
	switch {
	case c.Left > 0:
		c.Buf = utf8.AppendRune(c.Buf, r)
		c.Left--
	case c.counts:
		c.Over++
	}
}

// Plain appends text unchanged.
func (c *Clipper) Plain(s []byte) { c.decode(s, false) }

// Text appends the text of a JSON string, and nothing for any other kind.
func (c *Clipper) Text(v Value) { c.decode(v.Inside(), true) }

// Line is Text on a separate line.
func (c *Clipper) Line(v Value) {
	if !v.IsString() {
		return
	}
	c.Break()
	c.Text(v)
}

// Break begins a new line, but for the first one.
func (c *Clipper) Break() {
	if len(c.Buf) > 0 {
		c.Rune('\n')
	}
}

func (c *Clipper) decode(s []byte, escapes bool) {
	i := 0
	for i < len(s) && c.Left > 0 {
		// Plain ASCII goes in runs: it is nearly all there is.
		most := s[i:min(len(s), i+c.Left)]
		n := 0
		for n < len(most) && most[n] < utf8.RuneSelf && (most[n] != '\\' || !escapes) {
			n++
		}
		c.Buf = append(c.Buf, most[:n]...)
		c.Left -= n
		if i += n; i == len(s) || c.Left == 0 {
			break
		}
		var r rune
		var size int
		if s[i] == '\\' {
			if r, size = unescape(s[i:]); r == utf8.RuneError && isHalf(s[i:]) {
				c.Half++
			}
		} else {
			r, size = utf8.DecodeRune(s[i:])
		}
		c.Buf = utf8.AppendRune(c.Buf, r)
		c.Left--
		i += size
	}
	if c.counts && i < len(s) {
		c.Over += characters(s[i:], escapes)
	}
}

// characters counts the characters that decode would make of s. Eight plain ASCII bytes
// are one step, because a long tool result is almost only those.
func characters(s []byte, escapes bool) (n int64) {
	for i := 0; i < len(s); {
		for i+8 <= len(s) && ordinary(s[i:i+8:i+8], escapes) {
			i += 8
			n += 8
		}
		for stop := min(i+8, len(s)); i < stop; n++ {
			switch c := s[i]; {
			case c >= utf8.RuneSelf:
				_, size := utf8.DecodeRune(s[i:])
				i += size
			case c == '\\' && escapes:
				_, size := unescape(s[i:])
				i += size
			default:
				i++
			}
		}
	}
	return n
}

// ordinary reports whether each of the eight bytes of s is a character.
func ordinary(s []byte, escapes bool) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	if escapes {
		x := v ^ '\\'*ones // a byte that is a backslash becomes zero
		v |= (x - ones) &^ x
	}
	return v&tops == 0
}

// unescape reads the escape that s starts with and returns how long it is. An
// escape that JSON does not have is the character behind the backslash.
func unescape(s []byte) (rune, int) {
	if len(s) < 2 {
		return utf8.RuneError, 1
	}
	switch c := s[1]; c {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		return unescapeUnicode(s)
	default:
		if c < utf8.RuneSelf {
			return rune(c), 2
		}
		return utf8.RuneError, 1
	}
}

// unescapeUnicode reads a \u escape, with the second half of a surrogate pair.
func unescapeUnicode(s []byte) (rune, int) {
	r, ok := hex4(s)
	if !ok {
		return utf8.RuneError, 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

func isHalf(s []byte) bool {
	r, ok := hex4(s)
	return ok && utf16.IsSurrogate(r)
}

// hex4 reads the digits of the \u escape that s starts with.
func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
