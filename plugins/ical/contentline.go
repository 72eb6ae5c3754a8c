package main

import (
	"bytes"
	"strings"
)

// maxParams bounds the parameters of one line; more make it malformed.
const maxParams = 64

// contentLine is one property: name, parameters and raw value, all pointing into
// the line it was split from.
type contentLine struct {
	name   []byte // upper case
	params []param
	value  []byte
}

// param is one parameter, its name upper case, its value as written.
type param struct{ name, value []byte }

// split takes line apart (RFC 5545, section 3.1) and reports whether it is a content
// line at all. It upper-cases names in place. A quoted parameter value may contain the
// marks that otherwise end it.
func (c *contentLine) split(line []byte) bool {
	c.name, c.params, c.value = nil, c.params[:0], nil
	i := nameLength(line)
	if i == 0 || i == len(line) {
		return false
	}
	c.name = upper(line[:i])
	for line[i] == ';' {
		line = line[i+1:]
		n := nameLength(line)
		if n == 0 || n == len(line) || line[n] != '=' || len(c.params) == maxParams {
			return false
		}
		name := upper(line[:n])
		line = line[n+1:]
		if i = paramEnd(line); i < 0 {
			return false
		}
		c.params = append(c.params, param{name, line[:i]})
	}
	if line[i] != ':' {
		return false
	}
	c.value = line[i+1:]
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

func upper(b []byte) []byte {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return b
}

// param returns the first parameter of that name without its quotes, decoded after RFC
// 6868, or "".
func (c *contentLine) param(name string) string {
	for _, p := range c.params {
		if string(p.name) == name {
			v := p.value
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

// unescape undoes the escapes of a TEXT value (section 3.3.11). It keeps a backslash
// before any other character, because some producers escape nothing.
func unescape(b []byte) string {
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

// splitText calls fn for each part of a TEXT list, split at commas that no
// backslash escapes, until fn returns false.
func splitText(b []byte, fn func(string) bool) {
	from := 0
	for i := 0; i <= len(b); i++ {
		if i+1 < len(b) && b[i] == '\\' {
			i++
			continue
		}
		if i == len(b) || b[i] == ',' {
			part := b[from:i]
			from = i + 1
			if text := strings.TrimSpace(unescape(part)); text != "" && !fn(text) {
				return
			}
		}
	}
}
