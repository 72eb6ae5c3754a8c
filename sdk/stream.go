package sdk

import (
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/shape"
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
	given    Given

	schema  jsonvalue.Value
	shape   []shape.Field // of the schema, once it was asked for
	misfits []int64       // values that did not fit their field, by place in shape
}

func newStream(v jsonvalue.Value) *stream {
	s := &stream{name: v.Get("name").Str(), timeField: v.Get("consent_time_field").Str(), schema: v.Get("schema")}
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
const maxKeyBytes = abi.MaxKeyBytes

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

// parseInstant reads a consent time as the boundary does: an RFC 3339 date-time, with T
// and Z in either case, or a full-date, which means its midnight in UTC. A leap second
// counts as the second after it. If only one of the two accepted a text, a record would
// be lost silently, or one record would end the run.
func parseInstant(s string) (time.Time, bool) {
	if len(s) == len(time.DateOnly) {
		t, err := time.Parse(time.DateOnly, s)
		return t, err == nil
	}
	if len(s) < len("2006-01-02T15:04:05Z") {
		return time.Time{}, false
	}
	if s[13] != ':' || s[16] != ':' {
		return time.Time{}, false
	}
	if n := len(s) - 6; s[n] == '+' || s[n] == '-' { // an offset, which time.Parse does not bound
		if s[n+1:n+3] > "23" || s[n+4:] > "59" {
			return time.Time{}, false
		}
	}
	var room [64]byte
	b := append(room[:0], s...)
	if b[10] == 't' {
		b[10] = 'T'
	}
	if last := len(b) - 1; b[last] == 'z' {
		b[last] = 'Z'
	}
	leap := time.Duration(0)
	if b[17] == '6' && b[18] == '0' {
		b[17], b[18] = '5', '9'
		leap = time.Second
	}
	if b[19] == ',' { // time.Parse takes a comma before the decimals
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, string(b))
	return t.Add(leap), err == nil
}

// Why a record that the scope wants was not sent.
const (
	withheldTooLarge = "record_too_large"
	withheldNoKey    = "record_key_missing"
	withheldBadKey   = "record_key_invalid" // above maxKeyBytes, or with a NUL
)

// withheldEach is how many records of one stream and reason are reported one
// by one. The rest is counted and reported at the end, so that a file of bad
// lines does not become a flood of messages.
const withheldEach = 10

// Given counts what a connector has handed over for one stream so far: each record once.
type Given struct {
	Sent     int64 // to the host
	Withheld int64 // not sent, and reported: too large, without a key that the host takes, or a gap of a lane
	Outside  int64 // left out by the scope of the run
	Untimely int64 // of those, left out by its time range
}

// Given returns the counts of a stream of the manifest. Package accounts puts them into the
// accounts of a run.
func (h *Host) Given(stream string) Given {
	if s := h.stream(stream); s != nil {
		return s.given
	}
	return Given{}
}

// withheld counts the records of one reason.
type withheld struct {
	reason string
	count  int64
}

// withhold accounts for a record that is not sent. key may be nil.
func (h *Host) withhold(s *stream, reason string, key []byte, size int64) error {
	if reason == withheldTooLarge && h.tooLarge != nil {
		return h.tooLarge(s.name, size)
	}
	i := 0
	for i < len(s.withheld) && s.withheld[i].reason != reason {
		i++
	}
	if i == len(s.withheld) {
		s.withheld = append(s.withheld, withheld{reason: reason})
	}
	if s.withheld[i].count++; s.withheld[i].count > withheldEach {
		return h.failed
	}
	skip := abi.SkipResult{Stream: s.name, Reason: reason, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`)}
	switch reason {
	case withheldTooLarge:
		skip.Message = "a record of " + strconv.FormatInt(size, 10) + " bytes was not sent: the limit is " +
			strconv.Itoa(abi.MaxRecordBytes)
		skip.Diagnostics = abi.Raw(`{"size_bytes":` + strconv.FormatInt(size, 10) + `}`)
		if text := keyText(key); len(text) <= 200 {
			skip.ResourceIDs = []string{text}
		}
	case withheldBadKey:
		skip.Message = "a record was not sent: its key is above " + strconv.Itoa(maxKeyBytes) + " bytes or contains a NUL character"
	default:
		skip.Message = "a record without its key was not sent: a field of primary_key is missing, null or empty"
	}
	return h.Skip(skip)
}

// reportWithheld reports the records that withhold counted.
func (h *Host) reportWithheld() error {
	var first error
	for _, s := range h.streams {
		for _, w := range s.withheld {
			more := w.count - withheldEach
			if more <= 0 {
				continue
			}
			err := h.Skip(abi.SkipResult{
				Stream: s.name, Reason: w.reason, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`),
				Message:     strconv.FormatInt(more, 10) + " more records were not sent for the same reason",
				Diagnostics: append(jsonappend.Int([]byte(`{"records":`), more), '}'),
			})
			if first == nil {
				first = err
			}
		}
	}
	return first
}

// declared returns the fields of the schema.
func (s *stream) declared() []shape.Field {
	if s.shape == nil {
		s.shape = shape.Fields(s.schema)
		s.misfits = make([]int64, len(s.shape))
		for i := range s.shape {
			f := &s.shape[i]
			f.Plain = (s.fields == nil || s.fields[f.Name]) && !slices.Contains(s.primaryKey, f.Name) && (!s.timed || f.Name != s.timeField)
		}
	}
	return s.shape
}

// reasonDrift is the reason of a SKIP_RESULT about values that do not fit the schema.
const reasonDrift = "field_type_changed"

// driftNamed is how many fields of a stream that report names.
const driftNamed = 20

// reportDrift reports the values that Record.Copy replaced with null. The host rejects the
// records of the others, and reports them itself.
func (h *Host) reportDrift() error {
	var first error
	for _, s := range h.streams {
		count, names := int64(0), []string(nil)
		for i, n := range s.misfits {
			if n == 0 || s.shape[i].Types&shape.Null == 0 {
				continue
			}
			if count += n; len(names) < driftNamed {
				names = append(names, s.shape[i].Name)
			}
		}
		if count == 0 {
			continue
		}
		d := jsonappend.Int([]byte(`{"count":`), count)
		err := h.Skip(abi.SkipResult{
			Stream: s.name, Reason: reasonDrift, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`),
			Message:     "values are null because the source gives them another type: " + strconv.FormatInt(count, 10),
			Diagnostics: append(jsonappend.Strings(jsonappend.Name(d, "fields"), names), '}'),
		})
		if first == nil {
			first = err
		}
	}
	return first
}

// keyText returns a key as the host shows it: a string's text, or the array.
func keyText(key []byte) string {
	if v, err := jsonvalue.Parse(key); err == nil && v.Kind() == jsonvalue.String {
		return v.Str()
	}
	return string(key)
}
