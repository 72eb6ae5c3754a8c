package boundary

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// KeyText returns the canonical text of a record key: a string's value or, for a
// composite key, a compact JSON array of its strings. Compact means no white space,
// and only the escapes that RFC 8259 requires (in their short form if there is one,
// otherwise \u00xx in lower case). The error is an *abi.Error boundary.key_invalid
// without the key.
func KeyText(raw abi.Raw) (string, error) {
	// Plain strings need no scan. Raw values of messages are valid JSON.
	if n := len(raw); n > 2 && n < abi.MaxKeyBytes && raw[0] == '"' && raw[n-1] == '"' && isPlain(raw[1:n-1]) {
		return string(raw[1 : n-1]), nil
	}
	t := tape.Tape{Depth: 2}
	if err := t.Scan(raw); err != nil {
		return "", badKey("is not a JSON string or array of strings")
	}
	text, rule := appendKey(nil, &t, tape.Root)
	if rule != "" {
		return "", badKey(rule)
	}
	return string(text), nil
}

// FitsKey reports whether a key that was read has the form of a stream's: an array of as many
// values as a composite primary key has fields, and a string for any other. One of another
// form is the key of no record.
func FitsKey(raw abi.Raw, primaryKey []string) bool {
	t := tape.Tape{Depth: 2}
	if t.Scan(raw) != nil {
		return false
	}
	if len(primaryKey) > 1 {
		return t.Kind(tape.Root) == tape.Array && t.Count(tape.Root) == len(primaryKey)
	}
	return t.Kind(tape.Root) == tape.String
}

func isPlain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(b)
}

func badKey(rule string) error {
	return violation(abi.CodeKeyInvalid, "a record key "+rule, "a key is a non-empty string, or an array of strings when composite")
}

// appendKey appends the canonical text of the key at i; rule describes a problem.
func appendKey(dst []byte, t *tape.Tape, i int) (key []byte, rule string) {
	start := len(dst)
	switch t.Kind(i) {
	case tape.String:
		dst = appendValue(dst, t, i)
	case tape.Array:
		if t.Count(i) == 0 {
			return dst, "is an empty array"
		}
		dst = append(dst, '[')
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
			if t.Kind(k) != tape.String {
				return dst, "holds something else than strings"
			}
			if k > i+1 {
				dst = append(dst, ',')
			}
			dst = appendQuoted(dst, t, k)
		}
		dst = append(dst, ']')
	default:
		return dst, "is neither a string nor an array"
	}
	return dst, keyRule(dst[start:])
}

func keyRule(key []byte) string {
	switch {
	case len(key) == 0:
		return "is empty"
	case len(key) > abi.MaxKeyBytes:
		return "is too long"
	case bytes.IndexByte(key, 0) >= 0:
		return holdsNUL
	}
	return ""
}

// appendValue appends the value of a string, or the text of a number.
func appendValue(dst []byte, t *tape.Tape, i int) []byte {
	if t.Kind(i) == tape.Number {
		return append(dst, t.Text(i)...)
	}
	if b, plain := t.Plain(i); plain {
		return append(dst, b...)
	}
	return t.Decode(dst, i)
}

// appendQuoted appends the same value as a JSON string.
func appendQuoted(dst []byte, t *tape.Tape, i int) []byte {
	dst = append(dst, '"')
	if t.Kind(i) == tape.Number {
		dst = append(dst, t.Text(i)...)
	} else if b, plain := t.Plain(i); plain {
		dst = append(dst, b...) // a value without special characters has no escape
	} else {
		start := len(dst)
		dst = t.Decode(dst, i)
		dst = escapeTail(dst, start)
	}
	return append(dst, '"')
}

// escapeTail escapes dst from start on, in place.
func escapeTail(dst []byte, start int) []byte {
	extra := 0
	for _, c := range dst[start:] {
		extra += max(len(escapes[c])-1, 0)
	}
	if extra == 0 {
		return dst
	}
	from := len(dst)
	for range extra {
		dst = append(dst, 0)
	}
	for to := len(dst); from > start; {
		from--
		c := dst[from]
		if e := escapes[c]; e != "" {
			to -= len(e)
			copy(dst[to:], e)
		} else {
			to--
			dst[to] = c
		}
	}
	return dst
}

// escapes holds the canonical spelling of the bytes that must be escaped.
var escapes = func() (e [256]string) {
	for c := range byte(' ') {
		e[c] = fmt.Sprintf(`\u%04x`, c)
	}
	e['"'], e['\\'] = `\"`, `\\`
	e['\b'], e['\f'], e['\n'], e['\r'], e['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	return e
}()

// canonicalResource returns the canonical text of an entry of a scope's resources. For
// a composite stream the entry is a JSON array in any spelling.
func canonicalResource(r string, composite bool) string {
	if composite {
		if text, err := KeyText(abi.Raw(r)); err == nil {
			return text
		}
	}
	return r
}

// formed appends the canonical text of the key at i, which has the form of the stream's primary key.
func (g *Gate) formed(dst []byte, s *streamGate, i int) ([]byte, error) {
	t := &g.tape
	composite := len(s.primaryKey) > 1
	var wrong string
	switch {
	case !composite && t.Kind(i) != tape.String:
		wrong = "must be a string: the primary key has one field"
	case composite && (t.Kind(i) != tape.Array || t.Count(i) != len(s.primaryKey)):
		wrong = "must be an array with one string for each field of the primary key"
	default:
		dst, wrong = appendKey(dst, t, i)
	}
	if wrong != "" {
		return dst, violation(abi.CodeKeyInvalid, "a record's key of stream "+quote(s.name)+" "+wrong,
			"build the key from the stream's primary_key")
	}
	return dst, nil
}

// movedFrom builds the key that the record had until now, if it had one. The stream may be
// append-only: the record stays, under its new key.
func (g *Gate) movedFrom(s *streamGate, e *envelope) (err error) {
	if e.movedFrom < 0 {
		return nil
	}
	if g.movedKey, err = g.formed(g.movedKey[:0], s, e.movedFrom); err != nil {
		return err
	}
	if bytes.Equal(g.movedKey, g.keyText) {
		return violation(abi.CodeKeyInvalid, "a record of stream "+quote(s.name)+" names its own key as its earlier one",
			"set moved_from of a record that had another key")
	}
	g.record.MovedFrom = g.movedKey
	return nil
}

// key builds the canonical key of the record in g.record.Key. It checks the key's form
// against the primary key and, except for a deletion, its value against the data.
func (g *Gate) key(s *streamGate, e *envelope) error {
	t := &g.tape
	composite := len(s.primaryKey) > 1
	var err error
	if g.keyText, err = g.formed(g.keyText[:0], s, e.key); err != nil {
		return err
	}
	g.record.Key = g.keyText
	if e.delete {
		return nil
	}
	g.dataKey = g.dataKey[:0]
	if composite {
		g.dataKey = append(g.dataKey, '[')
	}
	for n, name := range s.primaryKey {
		i := t.Member(e.data, name)
		if i < 0 || t.Kind(i) != tape.String && t.Kind(i) != tape.Number {
			return violation(abi.CodeKeyMismatch, "a record of stream "+quote(s.name)+" has no string or number in "+quote(name)+", a field of its primary key",
				"put the primary key's fields into the data")
		}
		switch {
		case !composite:
			g.dataKey = appendValue(g.dataKey, t, i)
		case n > 0:
			g.dataKey = appendQuoted(append(g.dataKey, ','), t, i)
		default:
			g.dataKey = appendQuoted(g.dataKey, t, i)
		}
	}
	if composite {
		g.dataKey = append(g.dataKey, ']')
	}
	if !bytes.Equal(g.dataKey, g.keyText) {
		return violation(abi.CodeKeyMismatch, "a record's key of stream "+quote(s.name)+" differs from its data's",
			"build the key from the stream's primary_key")
	}
	return nil
}
