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
// line at all. It upper-cases names in place, and takes blanks around them. A quoted parameter
// value may contain the marks that otherwise end it. A parameter without a value is the bare
// one of vCalendar 1.0, such as QUOTED-PRINTABLE.
func (c *Line) Split(line []byte) bool {
	c.Name, c.Params, c.Value = nil, c.Params[:0], nil
	line = front(line)
	n := nameLength(line)
	if n == 0 {
		return false
	}
	c.Name, line = Upper(line[:n]), front(line[n:])
	for len(line) > 0 && line[0] == ';' {
		line = front(line[1:])
		n = nameLength(line)
		if n == 0 || len(c.Params) == maxParams {
			return false
		}
		p := Param{Name: Upper(line[:n])}
		if line = front(line[n:]); len(line) > 0 && line[0] == '=' {
			line = front(line[1:])
			end := paramEnd(line)
			if end < 0 {
				return false
			}
			p.Value, line = bytes.TrimRight(line[:end], " \t"), line[end:]
		}
		c.Params = append(c.Params, p)
	}
	if len(line) == 0 || line[0] != ':' {
		return false
	}
	c.Value = line[1:]
	return true
}

// front takes blanks off, and the mark of byte order that a file has which was glued to another.
func front(b []byte) []byte {
	for {
		n := len(b)
		if b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t"); len(b) == n {
			return b
		}
	}
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
