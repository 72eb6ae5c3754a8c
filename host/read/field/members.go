package field

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Members calls fn with each member of a JSON object, in its order: its name as it is
// written, with the quotes, and its value. It ends early when fn returns false, and reports
// whether data is an object as far as it has looked.
func Members(data []byte, fn func(name, value []byte) bool) bool {
	at := space(data, 0)
	if at >= len(data) || data[at] != '{' {
		return false
	}
	if at = space(data, at+1); at < len(data) && data[at] == '}' {
		return true
	}
	for {
		nameEnd := text(data, at)
		if nameEnd < 0 {
			return false
		}
		from := space(data, nameEnd)
		if from >= len(data) || data[from] != ':' {
			return false
		}
		from = space(data, from+1)
		to := value(data, from)
		if to < 0 {
			return false
		}
		if !fn(data[at:nameEnd], data[from:to]) {
			return true
		}
		at = space(data, to)
		switch {
		case at >= len(data):
			return false
		case data[at] == '}':
			return true
		case data[at] != ',':
			return false
		}
		at = space(data, at+1)
	}
}

// Named reports whether a member's name, as it is written, is that one.
func Named(written []byte, name string) bool {
	inner := written[1 : len(written)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	return Name(written) == name
}

// Name is a member's name without quotes and escapes.
func Name(written []byte) string {
	inner := written[1 : len(written)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(written, &s) // a record's names have passed the boundary
	return s
}

// Get returns the value of a member, the last one where a name stands twice; nil: there is
// none.
func Get(data []byte, name string) []byte {
	var found []byte
	Members(data, func(n, v []byte) bool {
		if Named(n, name) {
			found = v
		}
		return true
	})
	return found
}

// Pick returns the values of several members, as Get does, in one walk.
func Pick(data []byte, names []string) [][]byte {
	found := make([][]byte, len(names))
	Members(data, func(n, v []byte) bool {
		for i, name := range names {
			if Named(n, name) {
				found[i] = v
			}
		}
		return true
	})
	return found
}

// String is the text of a JSON string; false when the value is none.
func String(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	var s string
	return s, json.Unmarshal(value, &s) == nil
}

// Key is the key of a record that a value names, a text or a number; false: it names none.
func Key(value []byte) (string, bool) {
	if len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
		return string(value), true
	}
	return String(value)
}

func space(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\r' || data[at] == '\t') {
		at++
	}
	return at
}

// text returns where the string ends that begins at a place; -1: none does.
func text(data []byte, at int) int {
	if at >= len(data) || data[at] != '"' {
		return -1
	}
	end := bytes.IndexByte(data[at+1:], '"')
	if end < 0 {
		return -1
	}
	if bytes.IndexByte(data[at+1:at+1+end], '\\') < 0 {
		return at + end + 2
	}
	for i := at + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// value returns where the value ends that begins at a place; -1: none does.
func value(data []byte, at int) int {
	if at >= len(data) {
		return -1
	}
	switch data[at] {
	case '"':
		return text(data, at)
	case '{', '[':
		return nested(data, at)
	}
	end := at
	for end < len(data) && strings.IndexByte(",}] \n\r\t:\"", data[end]) < 0 {
		end++
	}
	if end == at {
		return -1
	}
	return end
}

func nested(data []byte, at int) int {
	depth := 0
	for i := at; i < len(data); i++ {
		switch data[i] {
		case '"':
			end := text(data, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
