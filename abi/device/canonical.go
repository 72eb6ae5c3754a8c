package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
)

// errTrailing is of a text with more than one JSON value.
var errTrailing = errors.New("more than one JSON value")

// Canonical returns the one form of a JSON text in which two texts of the same
// value are the same bytes: no space, names sorted by their UTF-16 units,
// numbers and strings as ECMAScript writes them (RFC 8785). It is what a hash is
// taken of, and never what is kept: a whole number above 2^53 has no exact form
// here. Of a name that stands twice the last value counts.
func Canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return appendValue(make([]byte, 0, len(text)), v), nil
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, byUnits)
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, name), ':')
			b = appendValue(b, v[name])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case string:
		return appendText(b, v)
	case json.Number:
		return appendNumber(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}

// byUnits orders texts as ECMAScript does: by UTF-16 units, which differs from
// the order of bytes above the basic plane only.
func byUnits(x, y string) int {
	return slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y)))
}

// appendNumber writes a number as ECMAScript does. One that no double holds keeps
// its own text.
func appendNumber(b []byte, n json.Number) []byte {
	f, err := n.Float64()
	if err != nil {
		return append(b, n...)
	}
	if f == 0 {
		return append(b, '0') // and of -0 too
	}
	text, err := json.Marshal(f) // writes doubles as ECMAScript does
	if err != nil {
		return append(b, n...)
	}
	return append(b, text...)
}

const hexDigits = "0123456789abcdef"

func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ':
			b = append(b, c)
		case c == '\b':
			b = append(b, '\\', 'b')
		case c == '\f':
			b = append(b, '\\', 'f')
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(b, '"')
}
