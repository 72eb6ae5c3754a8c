package jsonraw

import "bytes"

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 512

// Reader walks one JSON text once, from its start to its end, and builds nothing. Values
// that nobody needs are only stepped over; the others are handed out as their exact text.
//
// Only the structure is checked, see the package. Behind a place where it is not that of JSON
// every method does nothing, and End reports false.
type Reader struct {
	Src []byte // the text

	i   int
	bad bool
}

// Value is the text of one JSON value; nil is no value. It is a part of Reader.Src.
type Value []byte

// IsString reports whether v is a string.
func (v Value) IsString() bool { return len(v) > 1 && v[0] == '"' }

// IsArray reports whether v is an array.
func (v Value) IsArray() bool { return len(v) > 0 && v[0] == '[' }

// IsTrue reports whether v is true.
func (v Value) IsTrue() bool { return string(v) == "true" }

// Inside returns the text between a string's quotes, nil for any other kind.
func (v Value) Inside() []byte {
	if !v.IsString() {
		return nil
	}
	return v[1 : len(v)-1]
}

// Is reports whether v is a string of exactly this text. The text must need no
// escaping; another spelling of it is not recognized.
func (v Value) Is(text string) bool { return v.IsString() && string(v[1:len(v)-1]) == text }

// peek steps over white space and returns the next byte, 0 at the end.
func (r *Reader) peek() byte {
	for r.i < len(r.Src) {
		switch c := r.Src[r.i]; c {
		case ' ', '\t', '\r', '\n':
			r.i++
		default:
			return c
		}
	}
	return 0
}

func (r *Reader) fail() { r.bad = true }

// Enter steps into an array or object. It reports false, and steps over nothing, when
// the next value does not open with c.
func (r *Reader) Enter(c byte) bool {
	if r.bad || r.peek() != c {
		return false
	}
	r.i++
	return true
}

// Element goes to the next element of the array that was entered. first is
// true for the first call. False is the end of the array.
func (r *Reader) Element(first bool) bool {
	if r.bad {
		return false
	}
	c := r.peek()
	if c == ']' {
		r.i++
		return false
	}
	if first {
		return true
	}
	if c != ',' {
		r.fail()
		return false
	}
	r.i++
	return true
}

// Member goes to the value of the next member of the object that was entered
// and returns its name, as spelled in the text. False is the end of the object.
func (r *Reader) Member(first bool) (name []byte, ok bool) {
	if r.bad {
		return nil, false
	}
	c := r.peek()
	if c == '}' {
		r.i++
		return nil, false
	}
	if !first {
		if c != ',' {
			r.fail()
			return nil, false
		}
		r.i++
		c = r.peek()
	}
	start := r.i
	if c != '"' || !r.text() {
		r.fail()
		return nil, false
	}
	name = r.Src[start+1 : r.i-1]
	if r.peek() != ':' {
		r.fail()
		return nil, false
	}
	r.i++
	return name, true
}

// text steps over the string that starts here. It looks for quotes rather than at every
// byte, because most of the text is long strings.
func (r *Reader) text() bool {
	open := r.i
	for i := open + 1; ; {
		n := bytes.IndexByte(r.Src[i:], '"')
		if n < 0 {
			r.i = len(r.Src) // as far as was looked
			r.fail()
			return false
		}
		i += n
		escapes := 0
		for r.Src[i-1-escapes] == '\\' {
			escapes++ // ends at the opening quote at the latest
		}
		i++
		if escapes%2 == 0 {
			r.i = i
			return true
		}
	}
}

// Value steps over the next value and returns it, nil when there is none.
func (r *Reader) Value() Value {
	if r.bad {
		return nil
	}
	r.peek()
	start := r.i
	if !r.step() {
		r.fail()
		return nil
	}
	return r.Src[start:r.i:r.i]
}

// step steps over one value. It is a loop and not recursion: a guest may have a
// stack of 64 KiB.
func (r *Reader) step() bool {
	var objects [MaxDepth / 64]uint64 // bit d: the container at depth d is an object
	depth := 0
	var object bool
value:
	switch c := r.peek(); c {
	case '"':
		if !r.text() {
			return false
		}
	case '{', '[':
		if depth == MaxDepth {
			return false
		}
		r.i++
		bit := uint64(1) << (depth % 64)
		objects[depth/64] &^= bit
		if c == '{' {
			objects[depth/64] |= bit
		}
		depth++
		switch next := r.peek(); {
		case next == c+2: // '}' and ']' are two above '{' and '['
			r.i++
			depth--
		case c == '{':
			goto name
		default:
			goto value
		}
	default:
		if !r.scalar(c) {
			return false
		}
	}
after:
	if depth == 0 {
		return true
	}
	object = objects[(depth-1)/64]>>((depth-1)%64)&1 == 1
	switch c := r.peek(); {
	case c == ',':
		r.i++
		if object {
			goto name
		}
		goto value
	case c == '}' && object, c == ']' && !object:
		r.i++
		depth--
		goto after
	}
	return false
name:
	if r.peek() != '"' || !r.text() || r.peek() != ':' {
		return false
	}
	r.i++
	goto value
}

// scalar steps over a literal or a number that starts with c.
func (r *Reader) scalar(c byte) bool {
	for _, word := range [...]string{"true", "false", "null"} {
		if c == word[0] {
			if len(r.Src)-r.i < len(word) || string(r.Src[r.i:r.i+len(word)]) != word {
				return false
			}
			r.i += len(word)
			return true
		}
	}
	start := r.i
	for r.i < len(r.Src) {
		switch c := r.Src[r.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			r.i++
			continue
		}
		break
	}
	return r.i > start && (c == '-' || c >= '0' && c <= '9')
}

// End reports whether everything was read and has the structure of JSON.
func (r *Reader) End() bool { return !r.bad && r.peek() == 0 && r.i == len(r.Src) }

// At is where the reader is in the text, for From.
func (r *Reader) At() int { return r.i }

// From returns the text from a place to where the reader is.
func (r *Reader) From(at int) Value { return r.Src[at:r.i] }
