package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Record builds the records of one stream, one after the other: set each field
// once, then Emit, which also empties it for the next. Fields outside the scope
// are dropped. Setting a field twice makes an object with the name twice, which
// the host refuses; sdktest points it out.
type Record struct {
	h     *Host
	s     *stream  // nil: the manifest does not declare it
	off   bool     // nothing to build
	name  string   // of the stream
	data  []byte   // the object so far, without its closing brace
	mark  int      // where the field being set starts in data
	parts [][]byte // of the key, by primary_key, as JSON strings; empty: missing
	late  bool     // outside the time range, or no time seen yet
	next  int      // the field of the schema behind the one that was copied last
	from  []string // the key that the record had in earlier versions
	drift []int    // fields of the schema whose value did not fit
	doc   jsonvalue.Doc
}

// Record returns the stream's builder, the same one in each call, so a connector may
// keep it or call again. Emit returns an error for a stream that the manifest does not
// declare.
func (h *Host) Record(stream string) *Record {
	s := h.stream(stream)
	if s == nil {
		return &Record{h: h, off: true, name: stream}
	}
	if s.builder == nil {
		s.builder = &Record{h: h, s: s, off: !s.wanted, name: stream, parts: make([][]byte, len(s.primaryKey))}
		s.builder.Reset()
	}
	return s.builder
}

// Reset drops the fields set since the last Emit.
func (r *Record) Reset() {
	r.data = append(r.data[:0], '{')
	for i := range r.parts {
		r.parts[i] = r.parts[i][:0]
	}
	r.late = r.s != nil && r.s.timed
	r.next, r.drift, r.from = 0, r.drift[:0], nil
}

// MovedFrom says which key an earlier version of the connector gave the record: one text for each field of primary_key, in its
// order. The record under that key goes when this one is stored, without a guard that asks, and what its owner has deleted stays
// deleted. Say so whenever the record is emitted: an earlier run may have been lost. No other record may have that key from now on.
func (r *Record) MovedFrom(key ...string) { r.from = key }

// field starts a field, and reports false when there is nothing to build.
func (r *Record) field(name string) bool {
	if r.off {
		return false
	}
	r.mark = len(r.data)
	r.data = jsonappend.Name(r.data, name)
	return true
}

// set ends a field whose value was appended to data. part is the value as a JSON string
// of a key, nil for a value that cannot be part of a key.
func (r *Record) set(name string, part []byte) {
	s := r.s
	for i, field := range s.primaryKey {
		if field == name {
			r.parts[i] = append(r.parts[i][:0], part...)
		}
	}
	if s.fields != nil && !s.fields[name] {
		r.data = r.data[:r.mark]
	}
}

// String sets a field to text. Bytes that are no UTF-8 become U+FFFD.
func (r *Record) String(name, value string) {
	if !r.field(name) {
		return
	}
	from := len(r.data)
	r.data = jsonappend.String(r.data, value)
	if r.late && name == r.s.timeField {
		r.late = !r.s.inTime(value)
	}
	part := r.data[from:]
	if value == "" {
		part = nil
	}
	r.set(name, part)
}

// StringOrNull is String, with null for the empty text.
func (r *Record) StringOrNull(name, value string) {
	if value == "" {
		r.Null(name)
		return
	}
	r.String(name, value)
}

// Strings sets a field to an array of texts, [] for a nil list.
func (r *Record) Strings(name string, list []string) {
	if !r.field(name) {
		return
	}
	r.data = jsonappend.Strings(r.data, list)
	r.set(name, nil)
}

// Int sets a field to an integer.
func (r *Record) Int(name string, value int64) {
	if !r.field(name) {
		return
	}
	from := len(r.data)
	r.data = jsonappend.Int(r.data, value)
	r.setNumber(name, from)
}

// IntOrNull is Int, with null when ok is false.
func (r *Record) IntOrNull(name string, value int64, ok bool) {
	if !ok {
		r.Null(name)
		return
	}
	r.Int(name, value)
}

// Float sets a field to a number, null for NaN and the infinities.
func (r *Record) Float(name string, value float64) {
	if !r.field(name) {
		return
	}
	from := len(r.data)
	r.data = jsonappend.Float(r.data, value)
	if r.data[from] == 'n' {
		r.set(name, nil)
		return
	}
	r.setNumber(name, from)
}

// Bool sets a field to true or false.
func (r *Record) Bool(name string, value bool) {
	if !r.field(name) {
		return
	}
	r.data = jsonappend.Bool(r.data, value)
	r.set(name, nil)
}

// setNumber is set for a number, which a key spells between quotes.
func (r *Record) setNumber(name string, from int) {
	for _, field := range r.s.primaryKey {
		if field == name {
			r.h.key = jsonappend.Bytes(r.h.key[:0], r.data[from:])
			r.set(name, r.h.key)
			return
		}
	}
	r.set(name, nil)
}

// Null sets a field to null.
func (r *Record) Null(name string) {
	if !r.field(name) {
		return
	}
	r.data = jsonappend.Null(r.data)
	r.set(name, nil)
}

// Time sets a field to a time: RFC 3339 in UTC, null for the zero time.
func (r *Record) Time(name string, value time.Time) {
	if value.IsZero() {
		r.Null(name)
		return
	}
	if !r.field(name) {
		return
	}
	from := len(r.data)
	r.data = jsonappend.Time(r.data, value)
	part := r.data[from:]
	if len(part) < 2 || part[0] != '"' {
		r.set(name, nil)
		return
	}
	if r.late && name == r.s.timeField {
		r.late = !r.s.inTime(string(part[1 : len(part)-1]))
	}
	r.set(name, part)
}

// Value sets a field to a parsed value: repaired where the host would refuse it (see
// jsonvalue.Value.AppendJSON), null when it is missing.
func (r *Record) Value(name string, value jsonvalue.Value) {
	if !r.field(name) {
		return
	}
	r.data = value.AppendJSON(r.data)
	r.setValue(name, value)
}

// Raw sets a field to JSON that the connector vouches for: valid, in UTF-8,
// without repeated names, nested less than jsonvalue.MaxValueDepth. One wrong
// byte ends the run; for JSON from outside use Value. Empty is null.
func (r *Record) Raw(name string, json []byte) {
	if !r.field(name) {
		return
	}
	if len(json) == 0 {
		r.data = jsonappend.Null(r.data)
		r.set(name, nil)
		return
	}
	r.data = appendLine(r.data, json)
	value := jsonvalue.Value{}
	if r.special(name) {
		value, _ = r.doc.Parse(json)
	}
	r.setValue(name, value)
}

// special reports whether the field is part of the key or bounds the time.
func (r *Record) special(name string) bool {
	if r.late && name == r.s.timeField {
		return true
	}
	for _, field := range r.s.primaryKey {
		if field == name {
			return true
		}
	}
	return false
}

func (r *Record) setValue(name string, value jsonvalue.Value) {
	if !r.special(name) {
		r.set(name, nil)
		return
	}
	if r.late && name == r.s.timeField {
		r.late = !r.s.inTime(value.View())
	}
	r.h.key = keyPart(r.h.key[:0], value)
	r.set(name, r.h.key)
}

// Key returns the record's key by the fields that were set so far, as a tombstone and
// Enumeration.Missing have it: the text of the one field of primary_key, or a JSON array of
// several. It is "" while a part is missing, and for a key that the host does not take.
func (r *Record) Key() string {
	if r.off {
		return ""
	}
	key := appendKey(nil, r.parts)
	if len(key) == 0 || !goodKey(key) {
		return ""
	}
	return keyText(key)
}
