package main

import "bytes"

// maxDepth is how deep the arrays and objects of a line may nest.
const maxDepth = 512

// reader walks one JSON text once, from its start to its end, and builds nothing: most
// of a transcript's bytes are values that no record needs, and these are only stepped
// over. Values are handed out as raw, their exact text.
//
// It checks the structure of RFC 8259, but not the inside of strings and numbers: a
// string ends at its quote, whatever escapes and control characters it has. The text
// methods of clipper make valid text of it.
//
// After anything that is not JSON, bad is set and every method does nothing.
type reader struct {
	src []byte
	i   int
	bad bool
}

// raw is the text of one JSON value; nil is no value.
type raw []byte

func (v raw) isString() bool { return len(v) > 1 && v[0] == '"' }
func (v raw) isArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v raw) isTrue() bool   { return string(v) == "true" }

// inside returns the text between a string's quotes, nil for any other kind.
func (v raw) inside() []byte {
	if !v.isString() {
		return nil
	}
	return v[1 : len(v)-1]
}

// is reports whether v is a string of exactly this text. The text must need no
// escaping; another spelling of it is not recognized.
func (v raw) is(text string) bool { return v.isString() && string(v[1:len(v)-1]) == text }

// peek steps over white space and returns the next byte, 0 at the end.
func (r *reader) peek() byte {
	for r.i < len(r.src) {
		switch c := r.src[r.i]; c {
		case ' ', '\t', '\r', '\n':
			r.i++
		default:
			return c
		}
	}
	return 0
}

func (r *reader) fail() { r.bad = true }

// enter steps into an array or object. It reports false, and steps over nothing, when
// the next value does not open with c.
func (r *reader) enter(c byte) bool {
	if r.bad || r.peek() != c {
		return false
	}
	r.i++
	return true
}

// element goes to the next element of the array that was entered. first is
// true for the first call. False is the end of the array.
func (r *reader) element(first bool) bool {
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

// member goes to the value of the next member of the object that was entered
// and returns its name, as spelled in the text. False is the end of the object.
func (r *reader) member(first bool) (name []byte, ok bool) {
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
	name = r.src[start+1 : r.i-1]
	if r.peek() != ':' {
		r.fail()
		return nil, false
	}
	r.i++
	return name, true
}

// text steps over the string that starts here. It looks for quotes rather than at every
// byte, because most of the text is long strings.
func (r *reader) text() bool {
	open := r.i
	for i := open + 1; ; {
		n := bytes.IndexByte(r.src[i:], '"')
		if n < 0 {
			r.fail()
			return false
		}
		i += n
		escapes := 0
		for r.src[i-1-escapes] == '\\' {
			escapes++ // ends at the opening quote at the latest
		}
		i++
		if escapes%2 == 0 {
			r.i = i
			return true
		}
	}
}

// value steps over the next value and returns it, nil when there is none.
func (r *reader) value() raw {
	if r.bad {
		return nil
	}
	r.peek()
	start := r.i
	if !r.step() {
		r.fail()
		return nil
	}
	return r.src[start:r.i:r.i]
}

// step steps over one value. It is a loop and not recursion: a guest may have a
// stack of 64 KiB.
func (r *reader) step() bool {
	var objects [maxDepth / 64]uint64 // bit d: the container at depth d is an object
	depth := 0
	var object bool
value:
	switch c := r.peek(); c {
	case '"':
		if !r.text() {
			return false
		}
	case '{', '[':
		if depth == maxDepth {
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
func (r *reader) scalar(c byte) bool {
	for _, word := range [...]string{"true", "false", "null"} {
		if c == word[0] {
			if len(r.src)-r.i < len(word) || string(r.src[r.i:r.i+len(word)]) != word {
				return false
			}
			r.i += len(word)
			return true
		}
	}
	start := r.i
	for r.i < len(r.src) {
		switch c := r.src[r.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			r.i++
			continue
		}
		break
	}
	return r.i > start && (c == '-' || c >= '0' && c <= '9')
}

// end reports whether everything was read and was JSON.
func (r *reader) end() bool { return !r.bad && r.peek() == 0 && r.i == len(r.src) }
