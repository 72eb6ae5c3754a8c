package device

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns a JSON text in one form: texts with the same value become the same
// bytes. The form has no space, writes numbers and strings as ECMAScript does, and
// orders the names of an object as a JavaScript object orders names that were sorted
// before they were set. It is RFC 8785 with these differences: names that are array
// indices come first, by value; __proto__ is left out; a number above every double is
// null; a lone surrogate stays an escape. Hashes are computed from it. It is never
// stored, since a whole number above 2^53 has no exact form in it. If a name occurs
// twice, the last value counts. Bytes that are not UTF-8 become U+FFFD.
//
// Every delivered byte passes through here, on both ends. The text is therefore not
// decoded into values: it is outlined, and the output is copied from it.
func Canonical(text []byte) ([]byte, error) { return canonical(text, false) }

// canonical writes the form that Canonical describes, or RFC 8785 if sorted is set.
func canonical(text []byte, sorted bool) ([]byte, error) {
	o, err := outlined(text)
	if err != nil {
		return nil, err
	}
	f := form{outline: o, sorted: sorted, out: make([]byte, 0, len(text))}
	f.value(0)
	return f.out, nil
}

// form writes the canonical form of an outlined text.
type form struct {
	*outline

	sorted  bool // order names by UTF-16 units alone, as RFC 8785 does
	out     []byte
	members []member // members of the objects being written, the innermost object's last
}

type member struct {
	name  []byte // unescaped
	at    int32  // the node of the name; the next node is its value
	index int64  // the name as an array index; -1: it is not one
}

func (f *form) member(at int32) member {
	m := member{name: f.name(at), at: at, index: -1}
	if !f.sorted {
		m.index = arrayIndex(m.name)
	}
	return m
}

// before reports whether m is written before other.
func (m member) before(other member) int {
	switch {
	case m.index >= 0 && other.index >= 0:
		return cmp.Compare(m.index, other.index)
	case m.index >= 0:
		return -1
	case other.index >= 0:
		return 1
	}
	return byUnits(m.name, other.name)
}

// arrayIndex returns the value of a name that JavaScript treats as an array index: a
// whole number below 2^32-1 without a leading zero. It returns -1 for any other name.
func arrayIndex(name []byte) int64 {
	const most = 1<<32 - 2
	if len(name) == 0 || len(name) > 10 || name[0] == '0' && len(name) > 1 {
		return -1
	}
	n := int64(0)
	for _, c := range name {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	if n > most {
		return -1
	}
	return n
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
		f.out = appendText(f.out, f.text[n.from+1:n.to-1], !f.sorted)
	case kindNumber:
		f.out = f.appendNumber(f.out, f.text[n.from:n.to])
	default:
		f.out = append(f.out, f.text[n.from:n.to]...)
	}
}

func (f *form) object(at int32) {
	first, sorted := len(f.members), true
	for name := at + 1; name < f.nodes[at].next; name = f.nodes[name+1].next {
		m := f.member(name)
		if !f.sorted && string(m.name) == "__proto__" {
			continue
		}
		sorted = sorted && (len(f.members) == first || f.members[len(f.members)-1].before(m) < 0)
		f.members = append(f.members, m)
	}
	if !sorted {
		slices.SortStableFunc(f.members[first:], member.before)
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

// byUnits compares texts as ECMAScript does: by UTF-16 units. The order equals that of
// their bytes, except above the basic plane, whose units sort before U+E000 and whose
// bytes sort after it.
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

// exactDigits is the number of digits up to which a double holds every whole number.
const exactDigits = 15

// appendNumber writes a number as ECMAScript does. A number that no double holds
// becomes null; RFC 8785 has no such rule, so there it keeps its text.
func (f *form) appendNumber(b, number []byte) []byte {
	if wholeAndExact(number) {
		return append(b, number...)
	}
	beyond := []byte("null")
	if f.sorted {
		beyond = number
	}
	n, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return append(b, beyond...)
	}
	if n == 0 {
		return append(b, '0') // also for -0
	}
	text, err := json.Marshal(n) // writes doubles as ECMAScript does
	if err != nil {
		return append(b, beyond...)
	}
	return append(b, text...)
}

// wholeAndExact reports whether a number is already in canonical form.
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

// appendText writes the content of a string, between the quotes, with only the
// necessary escapes. If halves is set, the escape of half a surrogate pair stays.
func appendText(b, s []byte, halves bool) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\':
			r, next := unescape(s, i)
			if half := halves && r == utf8.RuneError && s[i+1] == 'u' && utf16.IsSurrogate(unit(s, i+2)); half {
				b = append(b, bytes.ToLower(s[i:next])...)
			} else {
				b = appendRune(b, r)
			}
			i = next
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
