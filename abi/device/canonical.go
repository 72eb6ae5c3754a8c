package device

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Canonical returns the one form of a JSON text in which two texts of the same
// value are the same bytes: no space, names sorted by their UTF-16 units,
// numbers and strings as ECMAScript writes them (RFC 8785). It is what a hash is
// taken of, and never what is kept: a whole number above 2^53 has no exact form
// here. Of a name that stands twice the last value counts. What is no Unicode (a
// lone surrogate, bytes that are no UTF-8) is written as U+FFFD.
//
// Every delivered byte comes by here, at both ends. So no value is made of the
// text: it is outlined, and what is written is copied from it.
func Canonical(text []byte) ([]byte, error) {
	o, err := outlined(text)
	if err != nil {
		return nil, err
	}
	f := form{outline: o, out: make([]byte, 0, len(text))}
	f.value(0)
	return f.out, nil
}

// form writes the canonical form of an outlined text.
type form struct {
	*outline

	out     []byte
	members []member // of the objects that are being written, the innermost last
}

type member struct {
	name []byte // unescaped
	at   int32  // its node; its value's is the next
}

func (f *form) value(at int32) {
	n := f.nodes[at]
	switch n.kind {
	case '{':
		f.object(at)
	case '[':
		f.out = append(f.out, '[')
		for item := at + 1; item < n.next; item = f.nodes[item].next {
			if item > at+1 {
				f.out = append(f.out, ',')
			}
			f.value(item)
		}
		f.out = append(f.out, ']')
	case kindEscaped:
		f.out = appendText(f.out, f.text[n.from+1:n.to-1])
	case kindNumber:
		f.out = appendNumber(f.out, f.text[n.from:n.to])
	default:
		f.out = append(f.out, f.text[n.from:n.to]...)
	}
}

func (f *form) object(at int32) {
	first, sorted := len(f.members), true
	for name := at + 1; name < f.nodes[at].next; name = f.nodes[name+1].next {
		m := member{f.name(name), name}
		sorted = sorted && (len(f.members) == first || byUnits(f.members[len(f.members)-1].name, m.name) < 0)
		f.members = append(f.members, m)
	}
	if !sorted {
		slices.SortStableFunc(f.members[first:], func(x, y member) int { return byUnits(x.name, y.name) })
	}
	f.out = append(f.out, '{')
	for i, end, more := first, len(f.members), false; i < end; i++ {
		m := f.members[i]
		if i+1 < end && string(m.name) == string(f.members[i+1].name) {
			continue
		}
		if more {
			f.out = append(f.out, ',')
		}
		more = true
		f.value(m.at)
		f.out = append(f.out, ':')
		f.value(m.at + 1)
	}
	f.members = f.members[:first]
	f.out = append(f.out, '}')
}

// byUnits orders texts as ECMAScript does: by UTF-16 units. That is the order of
// their bytes, but for what is above the basic plane: its units come before
// U+E000, and its bytes after.
func byUnits(x, y []byte) int {
	for i := range min(len(x), len(y)) {
		a, b := x[i], y[i]
		switch {
		case a == b:
			continue
		case a >= 0xee && b >= 0xee && (a >= 0xf0) != (b >= 0xf0):
			return int(b) - int(a)
		}
		return int(a) - int(b)
	}
	return len(x) - len(y)
}

// exactDigits is how many digits of a whole number every double holds.
const exactDigits = 15

// appendNumber writes a number as ECMAScript does. One that no double holds keeps
// its own text.
func appendNumber(b, number []byte) []byte {
	if wholeAndExact(number) {
		return append(b, number...)
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return append(b, number...)
	}
	if f == 0 {
		return append(b, '0') // and of -0 too
	}
	text, err := json.Marshal(f) // writes doubles as ECMAScript does
	if err != nil {
		return append(b, number...)
	}
	return append(b, text...)
}

// wholeAndExact reports whether a number stands in its canonical form already.
func wholeAndExact(number []byte) bool {
	if number[0] == '-' {
		number = number[1:]
		if number[0] == '0' {
			return false
		}
	}
	for _, c := range number {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(number) <= exactDigits
}

// appendText writes what stands between the quotes of a string, with no escape
// that is not needed.
func appendText(b, s []byte) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\':
			var r rune
			r, i = unescape(s, i)
			b = appendRune(b, r)
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, size := utf8.DecodeRune(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
		}
	}
	return append(b, '"')
}

func appendRune(b []byte, r rune) []byte {
	const hexDigits = "0123456789abcdef"
	switch {
	case r == '"' || r == '\\':
		return append(b, '\\', byte(r))
	case r >= ' ':
		return utf8.AppendRune(b, r)
	}
	switch r {
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
}
