package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// Reasons for refusing a text.
var (
	errNotJSON  = errors.New("not JSON")
	errTrailing = errors.New("more than one JSON value")
	errDeep     = errors.New("nested too deeply")
	errLong     = errors.New("too long")
)

// maxDepth equals the limit of encoding/json. Some hashed texts were never checked
// against a smaller one.
const maxDepth = 10_000

// Kinds of nodes besides '{' and '['.
const (
	kindPlain   = 'p' // a string already in canonical form
	kindEscaped = 'e' // a string that may not be in canonical form
	kindNumber  = 'n'
	kindLiteral = 'l'
)

// node is one value of a text, or the name of a member. The nodes inside it follow it:
// the items of an array; each name and its value of an object.
type node struct {
	from, to int32 // offsets in the text
	next     int32 // the first node after it and everything inside it
	kind     byte
}

// outline holds the positions of the values of a JSON text, in the order of the text.
type outline struct {
	text  []byte
	at    int
	depth int
	nodes []node
}

// outlined outlines a text that must be one JSON value by the rules of encoding/json.
func outlined(text []byte) (*outline, error) {
	if len(text) > math.MaxInt32 {
		return nil, errLong
	}
	o := &outline{text: text, nodes: make([]node, 0, 1+len(text)/32)}
	if err := o.value(); err != nil {
		return nil, err
	}
	if o.peek() != 0 || o.at < len(text) {
		return nil, errTrailing
	}
	return o, nil
}

// peek returns the next byte that is not space, 0 at the end.
func (o *outline) peek() byte {
	for ; o.at < len(o.text); o.at++ {
		switch c := o.text[o.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (o *outline) value() (err error) {
	c := o.peek()
	n := len(o.nodes)
	o.nodes = append(o.nodes, node{from: int32(o.at), kind: c}) //nolint:gosec // bounded by outlined
	switch c {
	case '{':
		err = o.within('}', o.member)
	case '[':
		err = o.within(']', o.value)
	case '"':
		o.nodes[n].kind, err = o.str()
	case 't':
		err = o.literal(n, "true")
	case 'f':
		err = o.literal(n, "false")
	case 'n':
		err = o.literal(n, "null")
	default:
		o.nodes[n].kind, err = kindNumber, o.number()
	}
	o.nodes[n].to, o.nodes[n].next = int32(o.at), int32(len(o.nodes)) //nolint:gosec // bounded by outlined
	return err
}

// within reads the items between two brackets.
func (o *outline) within(end byte, part func() error) error {
	if o.depth++; o.depth > maxDepth {
		return errDeep
	}
	o.at++
	if o.peek() == end {
		o.at++
		o.depth--
		return nil
	}
	for {
		if err := part(); err != nil {
			return err
		}
		c := o.peek()
		o.at++
		switch c {
		case ',':
		case end:
			o.depth--
			return nil
		default:
			return errNotJSON
		}
	}
}

func (o *outline) member() error {
	if o.peek() != '"' {
		return errNotJSON
	}
	if err := o.value(); err != nil {
		return err
	}
	if o.peek() != ':' {
		return errNotJSON
	}
	o.at++
	return o.value()
}

func (o *outline) literal(n int, word string) error {
	o.nodes[n].kind = kindLiteral
	if len(o.text)-o.at < len(word) || string(o.text[o.at:o.at+len(word)]) != word {
		return errNotJSON
	}
	o.at += len(word)
	return nil
}

// str reads a string and returns its kind.
func (o *outline) str() (byte, error) {
	kind, high, text := byte(kindPlain), byte(0), o.text
	for i := o.at + 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			if high >= utf8.RuneSelf && !utf8.Valid(text[o.at:i]) {
				kind = kindEscaped
			}
			o.at = i + 1
			return kind, nil
		case c < ' ':
			return 0, errNotJSON
		case c != '\\':
			high |= c
			continue
		}
		if i++; i == len(text) {
			return 0, errNotJSON
		}
		switch text[i] {
		case '"', '\\', 'b', 'f', 'n', 'r', 't': // the canonical form escapes these in the same way
		case '/':
			kind = kindEscaped
		case 'u':
			kind = kindEscaped
			if unit(text, i+1) < 0 {
				return 0, errNotJSON
			}
			i += 4
		default:
			return 0, errNotJSON
		}
	}
	return 0, errNotJSON
}

// number reads a number.
func (o *outline) number() error {
	if o.at < len(o.text) && o.text[o.at] == '-' {
		o.at++
	}
	if o.at < len(o.text) && o.text[o.at] == '0' {
		o.at++
	} else if !o.digits() {
		return errNotJSON
	}
	if o.at < len(o.text) && o.text[o.at] == '.' {
		if o.at++; !o.digits() {
			return errNotJSON
		}
	}
	if o.at < len(o.text) && o.text[o.at]|0x20 == 'e' {
		o.at++
		if o.at < len(o.text) && (o.text[o.at] == '+' || o.text[o.at] == '-') {
			o.at++
		}
		if !o.digits() {
			return errNotJSON
		}
	}
	return nil
}

func (o *outline) digits() bool {
	from := o.at
	for o.at < len(o.text) && o.text[o.at] >= '0' && o.text[o.at] <= '9' {
		o.at++
	}
	return o.at > from
}

// name returns a member's name without its escapes.
func (o *outline) name(at int32) []byte {
	n := o.nodes[at]
	if raw := o.text[n.from+1 : n.to-1]; n.kind == kindPlain && bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var s string
	if json.Unmarshal(o.text[n.from:n.to], &s) != nil {
		panic("device: an outlined text is no JSON")
	}
	return []byte(s)
}

// unit returns the UTF-16 unit of four hexadecimal digits, -1 if they are not
// hexadecimal.
func unit(text []byte, at int) rune {
	if len(text)-at < 4 {
		return -1
	}
	r := rune(0)
	for _, c := range text[at : at+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unescape returns the rune that an outlined string's escape at i encodes, and the
// index after the escape.
func unescape(s []byte, i int) (rune, int) {
	switch c := s[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
		r := unit(s, i+2)
		i += 6
		if !utf16.IsSurrogate(r) {
			return r, i
		}
		if i+1 < len(s) && s[i] == '\\' && s[i+1] == 'u' {
			if pair := utf16.DecodeRune(r, unit(s, i+2)); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
		return utf8.RuneError, i
	default:
		return rune(c), i + 2
	}
}
