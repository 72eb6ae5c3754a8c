package contentline

import (
	"bytes"
	"strings"
)

// maxParams bounds the parameters of one line; more make it malformed.
const maxParams = 64

// Line is one property. Name, parameters and value point into the line that was split.
type Line struct {
	Name   []byte // upper case
	Params []Param
	Value  []byte // as it is
}

// Param is one parameter, its name upper case, its value as written.
type Param struct{ Name, Value []byte }

// Split takes line apart (RFC 5545, section 3.1) and reports whether it is a content
// line at all. It upper-cases names in place. A quoted parameter value may contain the
// marks that otherwise end it.
func (c *Line) Split(line []byte) bool {
	c.Name, c.Params, c.Value = nil, c.Params[:0], nil
	i := nameLength(line)
	if i == 0 || i == len(line) {
		return false
	}
	c.Name = Upper(line[:i])
	for line[i] == ';' {
		line = line[i+1:]
		n := nameLength(line)
		if n == 0 || n == len(line) || line[n] != '=' || len(c.Params) == maxParams {
			return false
		}
		name := Upper(line[:n])
		line = line[n+1:]
		if i = paramEnd(line); i < 0 {
			return false
		}
		c.Params = append(c.Params, Param{name, line[:i]})
	}
	if line[i] != ':' {
		return false
	}
	c.Value = line[i+1:]
	return true
}

// paramEnd returns the index of the ";" or ":" that ends a parameter's value.
func paramEnd(b []byte) int {
	quoted := false
	for i, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case (c == ';' || c == ':') && !quoted:
			return i
		}
	}
	return -1
}

func nameLength(b []byte) int {
	for i, c := range b {
		if !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return i
		}
	}
	return len(b)
}

// Upper upper-cases ASCII letters in place.
func Upper(b []byte) []byte {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return b
}

// Param returns the first parameter of that name without its quotes, decoded after RFC
// 6868, or "".
func (c *Line) Param(name string) string {
	for _, p := range c.Params {
		if string(p.Name) == name {
			v := p.Value
			if len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' {
				v = v[1 : len(v)-1]
			}
			return decodeCaret(v)
		}
	}
	return ""
}

// decodeCaret undoes the parameter value encoding of RFC 6868.
func decodeCaret(b []byte) string {
	if bytes.IndexByte(b, '^') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '^' && i+1 < len(b) {
			switch b[i+1] {
			case 'n':
				out = append(out, '\n')
				i++
				continue
			case '^':
				out = append(out, '^')
				i++
				continue
			case '\'':
				out = append(out, '"')
				i++
				continue
			}
		}
		out = append(out, b[i])
	}
	return string(out)
}

// Unescape undoes the escapes of a TEXT value (section 3.3.11). It keeps a backslash
// before any other character, because some producers escape nothing.
func Unescape(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) {
			switch c := b[i+1]; c {
			case 'n', 'N':
				out = append(out, '\n')
				i++
				continue
			case '\\', ';', ',':
				out = append(out, c)
				i++
				continue
			}
		}
		out = append(out, b[i])
	}
	return string(out)
}

// Each calls fn for each part of a TEXT list, split at commas that no
// backslash escapes, until fn returns false.
func Each(b []byte, fn func(string) bool) {
	from := 0
	for i := 0; i <= len(b); i++ {
		if i+1 < len(b) && b[i] == '\\' {
			i++
			continue
		}
		if i == len(b) || b[i] == ',' {
			part := b[from:i]
			from = i + 1
			if text := strings.TrimSpace(Unescape(part)); text != "" && !fn(text) {
				return
			}
		}
	}
}
