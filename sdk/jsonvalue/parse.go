package jsonvalue

import (
	"math"
	"strconv"
	"unicode/utf16"

	"github.com/pdpp-host/pdpp-host/sdk/internal/swar"
)

// MaxDepth is how deep arrays and objects may nest in a text that Parse accepts. It is
// far above abi.MaxNesting, the limit of a message; Value.AppendJSON bridges the
// difference.
const MaxDepth = 1000

// maxBytes keeps every offset in 31 bits, whatever the width of int.
const maxBytes = math.MaxInt32

// node is one value or one member name. A container is followed by the nodes
// of its children (name, value, name, value … in an object).
type node struct {
	start, end place // span in the source; of a string, without its quotes
	next       place // the first node behind this one's children; while open: its parent
	kind       Kind
	flags      uint8
}

// place is an offset or a node's number, below 2³¹, stored as its complement. TinyGo's
// collector takes every word for an address that could be one. The numbers of a long
// text are addresses in a small heap, and for each of them the collector searches for
// the start of the object there, which makes a collection quadratic in the text. Their
// complements lie above 2 GiB; a guest's memory ends below that unless its owner raised
// limits.memory that far.
type place uint32

func placeAt(n int) place { return place(^uint32(n)) }

func (p place) at() uint32 { return ^uint32(p) }

const (
	flagEscaped  = 1 << iota // contains a backslash
	flagUnicode              // contains a \u escape
	flagNonASCII             // contains a byte above DEL
	flagInteger              // a number without fraction and exponent
	flagHalf                 // contains a \u escape that is half of a surrogate pair
)

const noParent = place(0)

// Doc is one parsed text. The zero Doc is ready; parsing again reuses its
// memory and ends the life of every Value of the text before.
type Doc struct {
	src   []byte
	nodes []node
	text  []byte // text decoded by Value.View
	half  int    // texts with half of a surrogate pair
}

// Halves returns how many texts, names of members included, have an escape that is half of a surrogate pair. It is
// no character, and reads as U+FFFD.
func (d *Doc) Halves() int { return d.half }

// SyntaxError locates the byte at which a text stops being JSON.
type SyntaxError struct {
	Offset int    // of the byte that cannot be there
	Reason string // the expected token; never a part of the text
	Deep   bool   // the text is JSON up to there, and nests deeper than MaxDepth
}

// Error returns reason and offset.
func (e *SyntaxError) Error() string {
	return "not JSON: " + e.Reason + " at byte " + strconv.Itoa(e.Offset)
}

// Parse parses src in its own Doc. See Doc.Parse.
func Parse(src []byte) (Value, error) { return new(Doc).Parse(src) }

// Parse checks src, one JSON value with white space around it, and returns the value.
// The error is a *SyntaxError. The Value, and everything reached from it, reads src
// itself: it is valid until src changes or d parses again.
func (d *Doc) Parse(src []byte) (Value, error) {
	d.src, d.nodes, d.text, d.half = src, d.nodes[:0], d.text[:0], 0
	if len(src) > maxBytes {
		return Value{}, &SyntaxError{Reason: "a text below 2 GiB was expected"}
	}
	if err := d.parse(); err != nil {
		d.nodes = d.nodes[:0]
		return Value{}, err
	}
	return Value{d: d}, nil
}

func (d *Doc) parse() *SyntaxError {
	src, parent, depth := d.src, noParent, 0
	i := space(src, 0)
value:
	if i >= len(src) {
		return fail(i, "a value was expected")
	}
	switch c := src[i]; {
	case c == '"':
		end, flags, err := scanString(src, i)
		if err != nil {
			return err
		}
		d.leaf(i+1, end-1, String, flags)
		i = end
	case c == '{' || c == '[':
		if depth++; depth > MaxDepth {
			return &SyntaxError{i, "less nesting was expected", true}
		}
		kind, closing := Object, byte('}')
		if c == '[' {
			kind, closing = Array, ']'
		}
		d.nodes = append(d.nodes, node{start: placeAt(i), next: parent, kind: kind})
		parent = placeAt(len(d.nodes) - 1)
		if i = space(src, i+1); i < len(src) && src[i] == closing {
			break // the text after the switch closes it
		}
		if kind == Array {
			goto value
		}
		goto name
	case c == '-' || c-'0' <= 9:
		end, flags, err := scanNumber(src, i)
		if err != nil {
			return err
		}
		d.leaf(i, end, Number, flags)
		i = end
	default:
		kind, n := literal(src[i:])
		if n == 0 {
			return fail(i, "a value was expected")
		}
		d.leaf(i, i+n, kind, 0)
		i += n
	}
	for {
		i = space(src, i)
		if parent == noParent {
			if i != len(src) {
				return fail(i, "the end was expected")
			}
			return nil
		}
		if i >= len(src) {
			return fail(i, "a comma or a closing bracket was expected")
		}
		open := &d.nodes[parent.at()]
		switch c := src[i]; {
		case c == ',' && open.kind == Object:
			i = space(src, i+1)
			goto name
		case c == ',':
			i = space(src, i+1)
			goto value
		case c == '}' && open.kind == Object, c == ']' && open.kind == Array:
			i++
			open.end = placeAt(i)
			open.next, parent = placeAt(len(d.nodes)), open.next
			depth--
		default:
			return fail(i, "a comma or a closing bracket was expected")
		}
	}
name:
	if i >= len(src) || src[i] != '"' {
		return fail(i, "a member name was expected")
	}
	{
		end, flags, err := scanString(src, i)
		if err != nil {
			return err
		}
		d.leaf(i+1, end-1, String, flags)
		i = space(src, end)
	}
	if i >= len(src) || src[i] != ':' {
		return fail(i, "a colon was expected")
	}
	i = space(src, i+1)
	goto value
}

// source returns the part of src that n spans.
func (n *node) source(src []byte) []byte { return src[n.start.at():n.end.at():n.end.at()] }

// leaf adds a node without children.
func (d *Doc) leaf(start, end int, kind Kind, flags uint8) {
	if flags&flagHalf != 0 {
		d.half++
	}
	d.nodes = append(d.nodes, node{
		start: placeAt(start), end: placeAt(end), next: placeAt(len(d.nodes) + 1), kind: kind, flags: flags,
	})
}

func fail(offset int, reason string) *SyntaxError {
	return &SyntaxError{Offset: offset, Reason: reason}
}

func space(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\r' || src[i] == '\t') {
		i++
	}
	return i
}

func literal(s []byte) (Kind, int) {
	switch {
	case len(s) >= 4 && string(s[:4]) == "null":
		return Null, 4
	case len(s) >= 4 && string(s[:4]) == "true":
		return True, 4
	case len(s) >= 5 && string(s[:5]) == "false":
		return False, 5
	}
	return Null, 0
}

// scanString returns the offset behind the string that opens at i.
func scanString(src []byte, i int) (end int, flags uint8, err *SyntaxError) {
	i++
	for {
		n, ascii := swar.QuotedPrefix(src[i:])
		i += n
		if !ascii {
			flags |= flagNonASCII
		}
		switch {
		case i >= len(src):
			return 0, 0, fail(i, "the end of a string was expected")
		case src[i] == '"':
			return i + 1, flags, nil
		case src[i] != '\\':
			return 0, 0, fail(i, "no control character was expected in a string")
		case i+1 >= len(src):
			return 0, 0, fail(i+1, "an escape was expected")
		}
		flags |= flagEscaped
		switch src[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			flags |= flagUnicode
			r, ok := hex4(src[i+2:])
			if !ok {
				return 0, 0, fail(i+2, "four hexadecimal digits were expected")
			}
			if utf16.IsSurrogate(r) {
				_, size := decodeEscape(src[i:])
				if size == 6 {
					flags |= flagHalf
				}
				i += size - 6
			}
			i += 6
		default:
			return 0, 0, fail(i+1, "an escape was expected")
		}
	}
}

// scanNumber returns the offset behind the number that starts at i.
func scanNumber(src []byte, i int) (end int, flags uint8, err *SyntaxError) {
	if src[i] == '-' {
		i++
	}
	first := i
	if i = digits(src, i); i == first {
		return 0, 0, fail(i, "a digit was expected")
	}
	if src[first] == '0' && i > first+1 {
		return 0, 0, fail(first+1, "no digit was expected behind a leading zero")
	}
	flags = flagInteger
	if i < len(src) && src[i] == '.' {
		flags = 0
		first = i + 1
		if i = digits(src, first); i == first {
			return 0, 0, fail(i, "a digit was expected")
		}
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		flags = 0
		if i++; i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		first = i
		if i = digits(src, first); i == first {
			return 0, 0, fail(i, "a digit was expected")
		}
	}
	return i, flags, nil
}

func digits(src []byte, i int) int {
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	return i
}

// hex4 reads four hexadecimal digits.
func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c-'a' <= 5:
			c -= 'a' - 10
		case c-'A' <= 5:
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
