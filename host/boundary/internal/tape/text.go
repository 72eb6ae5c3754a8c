package tape

import "unicode/utf8"

// Plain returns string i's bytes between the quotes, and whether they are its value,
// without an escape.
func (t *Tape) Plain(i int) (b []byte, ok bool) {
	n := &t.nodes[i]
	return t.src[n.start:n.end], n.flags&escaped == 0
}

// Bytes returns string i's value: a part of the source or, if it has escapes, appended
// to scratch. It is valid until the next Scan; a value in scratch only until scratch
// is used again.
func (t *Tape) Bytes(i int, scratch []byte) []byte {
	b, ok := t.Plain(i)
	if ok {
		return b
	}
	return unescape(scratch, b)[len(scratch):]
}

// Equal reports whether string i's value is s.
func (t *Tape) Equal(i int, s string) bool {
	b, ok := t.Plain(i)
	if ok {
		return string(b) == s
	}
	if len(b) < len(s) { // an escape is never shorter than its character
		return false
	}
	for len(b) > 0 {
		r, n, raw := next(b)
		if raw {
			if len(s) == 0 || s[0] != b[0] {
				return false
			}
			b, s = b[1:], s[1:]
			continue
		}
		want, size := utf8.DecodeRuneInString(s)
		if size == 0 || want != r || (r == utf8.RuneError && size == 1) {
			return false
		}
		b, s = b[n:], s[size:]
	}
	return len(s) == 0
}

// Runes counts the code points of string i's value.
func (t *Tape) Runes(i int) int {
	n := &t.nodes[i]
	b := t.src[n.start:n.end]
	switch {
	case n.flags&(escaped|nonASCII) == 0:
		return len(b)
	case n.flags&escaped == 0:
		return utf8.RuneCount(b)
	}
	count := 0
	for len(b) > 0 {
		_, size, raw := next(b)
		if raw {
			_, size = utf8.DecodeRune(b)
		}
		b = b[size:]
		count++
	}
	return count
}

// next returns the rune of the escape at the start of b and its length; raw reports
// that b starts with no escape. b is the inside of a scanned string, so its escapes
// are complete.
func next(b []byte) (r rune, size int, raw bool) {
	if b[0] != '\\' {
		return 0, 0, true
	}
	switch c := b[1]; c {
	case 'b':
		return '\b', 2, false
	case 'f':
		return '\f', 2, false
	case 'n':
		return '\n', 2, false
	case 'r':
		return '\r', 2, false
	case 't':
		return '\t', 2, false
	case 'u':
		r = hex4(b[2:])
		if r >= 0xd800 && r < 0xdc00 {
			return 0x10000 + (r-0xd800)<<10 + (hex4(b[8:]) - 0xdc00), 12, false
		}
		return r, 6, false
	default: // the quote, the backslash, the slash
		return rune(c), 2, false
	}
}

func unescape(dst, b []byte) []byte {
	for len(b) > 0 {
		r, size, raw := next(b)
		if raw {
			dst = append(dst, b[0])
			b = b[1:]
			continue
		}
		dst = utf8.AppendRune(dst, r)
		b = b[size:]
	}
	return dst
}

// hex4 returns the value of four hexadecimal digits, or -1.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Decode appends string i's value to dst.
func (t *Tape) Decode(dst []byte, i int) []byte {
	b, ok := t.Plain(i)
	if ok {
		return append(dst, b...)
	}
	return unescape(dst, b)
}

// String returns string i's value as a separate string.
func (t *Tape) String(i int) string {
	b, ok := t.Plain(i)
	if ok {
		return string(b)
	}
	return string(unescape(nil, b))
}
