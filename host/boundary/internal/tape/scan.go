package tape

import "math"

// Limits of a text.
const (
	// MaxDepth is the largest value of Depth.
	MaxDepth = 128
	// MaxNodes bounds the tape to about 20 MiB.
	MaxNodes = 1 << 20
	// MaxNumberBytes and MaxExponent bound the numbers with which the host calculates,
	// far outside a float64 and short enough for exact arithmetic.
	MaxNumberBytes = 400
	MaxExponent    = 400
)

// keepNodes is the largest tape that is kept from one Scan to the next.
const keepNodes = 64 << 10

// Tape holds the values of the last scanned text. The zero Tape is ready to use. It
// refers to the text, which must not change while the tape is read.
type Tape struct {
	Depth int // the maximum nesting, the outermost value included; 0: MaxDepth

	src   []byte
	nodes []node
	vast  bool
	names names
	stack [MaxDepth]uint32 // the open containers
}

// Scan reads one JSON text surrounded only by white space. An error is an *Error; the
// tape must not be read after it.
func (t *Tape) Scan(src []byte) error {
	if cap(t.nodes) > keepNodes {
		t.nodes = nil
	}
	t.src, t.nodes, t.vast = src, t.nodes[:0], false
	if len(src) > math.MaxUint32 {
		return &Error{TooMany, 0}
	}
	limit := t.Depth
	if limit <= 0 || limit > MaxDepth {
		limit = MaxDepth
	}
	return t.scan(src, limit)
}

func (t *Tape) scan(src []byte, limit int) error {
	depth := 0
	i := skip(src, 0)
value:
	if i >= len(src) {
		return &Error{Syntax, i}
	}
	if len(t.nodes) >= MaxNodes {
		return &Error{TooMany, i}
	}
	switch c := src[i]; c {
	case '"':
		end, f, err := t.text(src, i+1)
		if err != nil {
			return err
		}
		t.push(i+1, end, String, f)
		i = end + 1
	case '{', '[':
		if depth == limit {
			return &Error{Nesting, i}
		}
		kind := Object
		if c == '[' {
			kind = Array
		}
		t.stack[depth] = uint32(len(t.nodes))
		depth++
		t.push(i, 0, kind, 0)
		i = skip(src, i+1)
		if i < len(src) && src[i] == c+2 { // ']' is '['+2 and '}' is '{'+2
			i++
			t.nodes[len(t.nodes)-1].end = uint32(i)
			depth--
			break
		}
		if c == '[' {
			t.nodes[len(t.nodes)-1].count = 1
			goto value
		}
		goto name
	case 't':
		if string(src[i:min(i+4, len(src))]) != "true" {
			return &Error{Syntax, i}
		}
		t.push(i, i+4, True, 0)
		i += 4
	case 'f':
		if string(src[i:min(i+5, len(src))]) != "false" {
			return &Error{Syntax, i}
		}
		t.push(i, i+5, False, 0)
		i += 5
	case 'n':
		if string(src[i:min(i+4, len(src))]) != "null" {
			return &Error{Syntax, i}
		}
		t.push(i, i+4, Null, 0)
		i += 4
	default:
		end, f := number(src, i)
		if end < 0 {
			return &Error{Syntax, ^end}
		}
		t.vast = t.vast || f&vast != 0
		t.push(i, end, Number, f)
		i = end
	}

after:
	if i < len(src) && src[i] <= ' ' {
		i = skip(src, i)
	}
	if depth == 0 {
		if i < len(src) {
			return &Error{Syntax, i}
		}
		return nil
	}
	if i >= len(src) {
		return &Error{Syntax, i}
	}
	{
		open := &t.nodes[t.stack[depth-1]]
		switch c := src[i]; {
		case c == ',':
			i = skip(src, i+1)
			if open.kind == Array {
				open.count++
				goto value
			}
			goto name
		case c == ']' && open.kind == Array:
			i++
		case c == '}' && open.kind == Object:
			i++
			if at := t.duplicate(int(t.stack[depth-1])); at >= 0 {
				return &Error{Duplicate, at}
			}
			open = &t.nodes[t.stack[depth-1]]
		default:
			return &Error{Syntax, i}
		}
		open.end, open.next = uint32(i), uint32(len(t.nodes))
		depth--
		goto after
	}

name:
	if i >= len(src) || src[i] != '"' {
		return &Error{Syntax, i}
	}
	{
		if len(t.nodes) >= MaxNodes {
			return &Error{TooMany, i}
		}
		end, f, err := t.text(src, i+1)
		if err != nil {
			return err
		}
		t.push(i+1, end, String, f)
		t.nodes[t.stack[depth-1]].count++
		i = skip(src, end+1)
		if i >= len(src) || src[i] != ':' {
			return &Error{Syntax, i}
		}
		i = skip(src, i+1)
		goto value
	}
}

func (t *Tape) push(start, end int, kind Kind, f flags) {
	t.nodes = append(t.nodes, node{start: uint32(start), end: uint32(end), next: uint32(len(t.nodes) + 1), kind: kind, flags: f})
}

// skip returns the index of the first byte from i on that is not white space.
func skip(src []byte, i int) int {
	for i < len(src) {
		switch src[i] {
		case ' ', '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}
