package call

import (
	"html"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// window is the decoded text of a part of an answer: percent-encodings and the escapes
// of JSON and HTML decoded, also nested ones, ASCII in lower case, without line
// breaks, and without the zero bytes that UTF-16 puts beside ASCII.
type window struct {
	text  []byte
	marks []mark // ordered by at; the first is at 0
}

// mark maps the window's text to the answer, from its byte at to the next mark's: byte
// by byte, beginning with byte number from, or, with a size, as an escape of that many
// bytes.
type mark struct{ at, from, size int }

// nested is the maximum nesting of escapes.
const nested = 2

// folded maps each byte to its form in a window; 0 for bytes that need a closer look.
var folded = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	for _, c := range "\x00\r\n%&\\" {
		t[c] = 0
	}
	return t
}()

// read fills the window with b from at on, until it has size bytes, and returns the
// position in b at which it stopped. Escapes are decoded up to depth times.
func (w *window) read(b []byte, at, size, depth int) int {
	if cap(w.text) < size+utf8.UTFMax {
		w.text = make([]byte, 0, size+utf8.UTFMax)
	}
	text, n := w.text[:cap(w.text)], 0
	w.marks = w.marks[:0]
	for at < len(b) && n < size {
		from := b[at:min(len(b), at+size-n)]
		to, k := text[n:n+len(from)], 0
		for k < len(from) {
			c := folded[from[k]]
			if c == 0 {
				break
			}
			to[k] = c
			k++
		}
		if k > 0 {
			w.marks = append(w.marks, mark{n, at, 0})
			n, at = n+k, at+k
			continue
		}
		r, used := unit(b[at:], depth)
		for next := n + spell(text[n:], r); n < next; n++ {
			w.marks = append(w.marks, mark{n, at, used})
		}
		at += used
	}
	w.text = text[:n]
	return at
}

// source returns the position in the answer of one byte of the text.
func (w *window) source(at int) (start, end int) {
	m := w.marks[sort.Search(len(w.marks), func(i int) bool { return w.marks[i].at > at })-1]
	if m.size > 0 {
		return m.from, m.from + m.size
	}
	return m.from + at - m.at, m.from + at - m.at + 1
}

// spell writes a unit in the form of a window's text, and returns its length.
func spell(to []byte, r rune) int {
	switch {
	case r == 0 || r == '\r' || r == '\n':
		return 0
	case r < 0:
		to[0] = byte(-r)
		return 1
	case 'A' <= r && r <= 'Z':
		r += 'a' - 'A'
	}
	return utf8.EncodeRune(to, r)
}

// unit reads one character or, as its negative, one byte of more than 7 bits, with the
// escapes around it decoded. It also returns how many bytes of b it used.
func unit(b []byte, depth int) (r rune, used int) {
	if folded[b[0]] != 0 {
		return ofByte(rune(b[0])), 1 // no escape begins with this byte
	}
	if depth == 0 {
		for used < len(b)-1 && b[used] == 0 {
			used++
		}
		return ofByte(rune(b[used])), used + 1
	}
	r, used = unit(b, depth-1)
	in := reader{b[used:], depth - 1}
	var undone rune
	ok := false
	switch r {
	case '%':
		undone, ok = in.percent()
	case '\\':
		undone, ok = in.backslash()
	case '&':
		undone, ok = in.entity()
	}
	if ok {
		return undone, len(b) - len(in.rest)
	}
	return r, used
}

func ofByte(r rune) rune {
	if r >= utf8.RuneSelf {
		return -r
	}
	return r
}

// reader reads the rest of an escape after its first character.
type reader struct {
	rest  []byte
	depth int
}

func (in *reader) next() rune {
	if len(in.rest) == 0 {
		return 0
	}
	r, used := unit(in.rest, in.depth)
	in.rest = in.rest[used:]
	return r
}

// skip advances past r, if that is next.
func (in *reader) skip(r rune) bool {
	before := in.rest
	if in.next() == r {
		return true
	}
	in.rest = before
	return false
}

// number reads up to most digits, and fails with fewer than least.
func (in *reader) number(base rune, least, most int) (n rune, ok bool) {
	digits := 0
	for digits < most {
		before := in.rest
		d := digit(in.next())
		if d < 0 || d >= base {
			in.rest = before
			break
		}
		n = min(n*base+d, utf8.MaxRune+1)
		digits++
	}
	return n, digits >= least
}

func digit(r rune) rune {
	switch {
	case '0' <= r && r <= '9':
		return r - '0'
	case 'a' <= r && r <= 'f':
		return r - 'a' + 10
	case 'A' <= r && r <= 'F':
		return r - 'A' + 10
	}
	return -1
}

// percent reads RFC 3986, 2.1, and the %uXXXX of older programs.
func (in *reader) percent() (rune, bool) {
	if in.skip('u') {
		return in.number(16, 4, 4)
	}
	n, ok := in.number(16, 2, 2)
	return ofByte(n), ok
}

// backslash reads RFC 8259, 7, and the \xXX and \' of JavaScript.
func (in *reader) backslash() (rune, bool) {
	switch r := in.next(); r {
	case '"', '\'', '\\', '/':
		return r, true
	case 'n', 'r':
		return '\n', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'x':
		return in.number(16, 2, 2)
	case 'u':
		high, ok := in.number(16, 4, 4)
		if before := in.rest; ok && utf16.IsSurrogate(high) && in.skip('\\') && in.skip('u') {
			if low, ok := in.number(16, 4, 4); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
				return utf16.DecodeRune(high, low), true
			}
			in.rest = before
		}
		return high, ok
	}
	return 0, false
}

// entity reads a character reference of HTML, by number or name.
func (in *reader) entity() (rune, bool) {
	if in.skip('#') {
		base, most := rune(10), 10
		if in.skip('x') || in.skip('X') {
			base, most = 16, 8
		}
		n, ok := in.number(base, 1, most)
		in.skip(';')
		return n, ok && n <= utf8.MaxRune
	}
	var name [34]byte // the longest of HTML's names has 31
	for n := range name {
		r := in.next()
		switch {
		case r == ';':
			name := "&" + string(name[:n]) + ";"
			r, _ := utf8.DecodeRuneInString(html.UnescapeString(name))
			return r, r != '&' || name == "&amp;"
		case r < '0' || r > 'z' || folded[r] == 0:
			return 0, false
		}
		name[n] = byte(r)
	}
	return 0, false
}
