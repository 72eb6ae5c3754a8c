package jsonvalue

import (
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. A missing value is Null, too; Exists tells them apart.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// Value is one value of a parsed text. The zero Value is a missing one: its Kind is
// Null and every reading of it gives a zero, so a chain of Get needs no checks between.
type Value struct {
	d *Doc
	i uint32
}

func (v Value) node() *node { return &v.d.nodes[v.i] }

// Exists is false for the zero Value and true for a null in the text.
func (v Value) Exists() bool { return v.d != nil && int(v.i) < len(v.d.nodes) }

// Kind returns the value's kind.
func (v Value) Kind() Kind {
	if !v.Exists() {
		return Null
	}
	return v.node().kind
}

// IsNull reports whether the value is null or missing.
func (v Value) IsNull() bool { return v.Kind() == Null }

// Raw returns the value's exact text: of a string, with its quotes; of an object, from
// brace to brace; nil for a missing value. It is part of the input, neither repaired
// nor a copy; use AppendJSON to pass it on.
func (v Value) Raw() []byte {
	if !v.Exists() {
		return nil
	}
	n := v.node()
	if n.kind == String {
		from, to := n.start.at()-1, n.end.at()+1
		return v.d.src[from:to:to]
	}
	return n.source(v.d.src)
}

// Offset returns where Raw starts in the input, -1 for a missing value.
func (v Value) Offset() int {
	switch {
	case !v.Exists():
		return -1
	case v.node().kind == String:
		return int(v.node().start.at()) - 1
	}
	return int(v.node().start.at())
}

// Bool reports whether the value is true.
func (v Value) Bool() bool { return v.Kind() == True }

// Str returns a string's text as a copy that may be kept, "" for any other
// kind. See View for the same without the copy.
func (v Value) Str() string {
	if v.Kind() != String {
		return ""
	}
	if raw, ok := v.plain(); ok {
		return string(raw)
	}
	n := v.node()
	return string(appendDecoded(nil, n.source(v.d.src)))
}

// View returns a string's text, "" for any other kind. It shares the memory of the
// input (or of the Doc, when the text had to be decoded): it is valid only until the
// input changes or the Doc parses again, so use it at once, for instance as an argument
// of Record.String, and never keep it.
func (v Value) View() string {
	b := v.view()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// AppendText appends a string's text as valid UTF-8, and nothing for any other kind.
func (v Value) AppendText(dst []byte) []byte {
	defer v.forget(v.mark())
	return append(dst, v.view()...)
}

// TextIs reports whether the value is a string and its text equals s, without
// copying either.
func (v Value) TextIs(s string) bool {
	defer v.forget(v.mark())
	return v.Kind() == String && string(v.view()) == s
}

// mark and forget return the room of a text that was decoded in between and is not
// kept.
func (v Value) mark() int {
	if v.d == nil {
		return 0
	}
	return len(v.d.text)
}

func (v Value) forget(mark int) {
	if v.d != nil {
		v.d.text = v.d.text[:mark]
	}
}

// view is View as bytes.
func (v Value) view() []byte {
	if v.Kind() != String {
		return nil
	}
	if raw, ok := v.plain(); ok {
		return raw
	}
	n, from := v.node(), len(v.d.text)
	v.d.text = appendDecoded(v.d.text, n.source(v.d.src))
	return v.d.text[from:len(v.d.text):len(v.d.text)]
}

// plain returns the text of a string whose spelling in the input is the text.
func (v Value) plain() ([]byte, bool) {
	n := v.node()
	raw := n.source(v.d.src)
	return raw, n.flags&flagEscaped == 0 && (n.flags&flagNonASCII == 0 || utf8.Valid(raw))
}

// Int returns a number as an int64, see IntOK, and 0 for any other value.
func (v Value) Int() int64 {
	n, _ := v.IntOK()
	return n
}

// IntOK returns a number as an int64, and whether it is exactly that: true for 12, 12.0
// and 1.2e1, false for 12.5, "12", and numbers that overflow.
func (v Value) IntOK() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n := v.node()
	raw := n.source(v.d.src)
	if n.flags&flagInteger == 0 {
		f, ok := v.FloatOK()
		const exact = 1 << 53
		if !ok || f != float64(int64(f)) || f > exact || f < -exact {
			return 0, false
		}
		return int64(f), true
	}
	if len(raw) > 18 {
		i, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return 0, false
		}
		return i, true
	}
	digits := raw
	if raw[0] == '-' {
		digits = raw[1:]
	}
	var i int64
	for _, c := range digits {
		i = i*10 + int64(c-'0')
	}
	if raw[0] == '-' {
		i = -i
	}
	return i, true
}

// Float returns a number as a float64, see FloatOK, and 0 for any other value.
func (v Value) Float() float64 {
	f, _ := v.FloatOK()
	return f
}

// FloatOK returns the float64 nearest to a number, and whether there is one: false for
// another kind, and for 1e999.
func (v Value) FloatOK() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n := v.node()
	f, err := strconv.ParseFloat(string(n.source(v.d.src)), 64)
	if err != nil {
		return 0, false
	}
	return f, true
}
