package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// stream is one stream of the manifest, with its part of START.
type stream struct {
	name       string
	primaryKey []string
	timeField  string
	appendOnly bool

	wanted    bool
	resources map[string]bool // keys as JSON, spelled by appendKey; nil: all
	fields    map[string]bool // nil: all
	timed     bool
	since     time.Time // zero: open
	until     time.Time

	prefix   []byte // of a RECORD line, up to the key
	builder  *Record
	sealed   bool // its lane is closed: no record may follow (RT-12.1)
	withheld []withheld
}

func newStream(v jsonvalue.Value) *stream {
	s := &stream{name: v.Get("name").Str(), timeField: v.Get("consent_time_field").Str()}
	for it := v.Get("primary_key").Children(); it.Next(); {
		s.primaryKey = append(s.primaryKey, it.Value().Str())
	}
	semantics := v.Get("semantics")
	s.appendOnly = semantics.TextIs(abi.SemanticsAppendOnly) || semantics.TextIs(abi.SemanticsAppend)
	s.prefix = append(s.prefix, `{"type":"RECORD","stream":`...)
	s.prefix = jsonappend.String(s.prefix, s.name)
	s.prefix = append(s.prefix, `,"key":`...)
	return s
}

// resourceKey spells one entry of START's resources as appendKey spells keys:
// START has a composite key as the text of a JSON array.
func (s *stream) resourceKey(v jsonvalue.Value) string {
	text := v.Str()
	if len(s.primaryKey) > 1 {
		if list, err := jsonvalue.Parse([]byte(text)); err == nil && list.Kind() == jsonvalue.Array {
			var parts [][]byte
			for it := list.Children(); it.Next(); {
				parts = append(parts, keyPart(nil, it.Value()))
			}
			return string(appendKey(nil, parts))
		}
	}
	return string(jsonappend.String(nil, text))
}

// keyPart appends the JSON string of a value in a key: a string as it is, a number as
// its text. It appends nothing for a value that no key can contain: null, a boolean, an
// array, an object, the empty string.
func keyPart(dst []byte, v jsonvalue.Value) []byte {
	switch v.Kind() {
	case jsonvalue.String:
		if text := v.View(); text != "" {
			dst = jsonappend.String(dst, text)
		}
	case jsonvalue.Number:
		dst = jsonappend.Bytes(dst, v.Raw())
	case jsonvalue.Null, jsonvalue.True, jsonvalue.False, jsonvalue.Array, jsonvalue.Object:
	}
	return dst
}

// appendKey appends the key that the parts make, a string or an array of
// strings, and nothing when a part is missing. Two keys are equal exactly when
// these spellings are.
func appendKey(dst []byte, parts [][]byte) []byte {
	for _, p := range parts {
		if len(p) == 0 {
			return dst
		}
	}
	if len(parts) == 1 {
		return append(dst, parts[0]...)
	}
	if len(parts) == 0 {
		return dst
	}
	dst = append(dst, '[')
	for i, p := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, p...)
	}
	return append(dst, ']')
}

// maxKeyBytes is how long a key may be, its JSON spelling included. The host's
// limit is on the text without escapes, so this one is never above it.
const maxKeyBytes = 16 << 10

// goodKey reports whether the host takes the key: not too long, and without a
// NUL, at which a database would cut it.
func goodKey(key []byte) bool {
	if len(key) > maxKeyBytes {
		return false
	}
	for i := 0; i+5 < len(key); i++ {
		if key[i] != '\\' {
			continue
		}
		if string(key[i:i+6]) == `\u0000` {
			return false
		}
		i++ // the escaped byte, which may be a backslash
	}
	return true
}

// textKey is appendKey for parts that the connector gives as text.
func (s *stream) textKey(dst []byte, key []string) ([]byte, error) {
	if len(key) != len(s.primaryKey) {
		return dst, abi.NewError(abi.CodeKeyInvalid, "a key has more or fewer parts than the stream's primary_key",
			"give one text for each field of primary_key, in its order").WithDetail(s.name)
	}
	for _, part := range key {
		if part == "" {
			return dst, abi.NewError(abi.CodeKeyInvalid, "a part of a key is empty", "").WithDetail(s.name)
		}
	}
	if len(key) == 1 {
		return jsonappend.String(dst, key[0]), nil
	}
	return jsonappend.Strings(dst, key), nil
}

// allows reports whether the resources filter lets the key pass (RT-05).
func (s *stream) allows(key []byte) bool {
	return s.resources == nil || s.resources[string(key)]
}

// inTime reports whether text, the value of the consent time field, is inside the time
// range. A text that the boundary cannot read as a time is outside.
func (s *stream) inTime(text string) bool {
	t, ok := parseInstant(text)
	return ok && (s.since.IsZero() || !t.Before(s.since)) && (s.until.IsZero() || t.Before(s.until))
}
