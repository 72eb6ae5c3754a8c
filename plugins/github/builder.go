package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// reasonShape reports that the API's answer has another shape than its documents say.
const reasonShape = "github_shape_changed"

// builder builds the data of one stream's records and counts the mismatches: a field of
// another type becomes null and is counted by name; a row without the fields of a
// record is left out and counted.
type builder struct {
	stream string
	b      []byte
	fields map[string]int64
	names  []string // of fields, in the order of their first trouble
	rows   int64
	keys   []string // of rows left out, as far as they can be read
}

// maxNamed is how many records or fields one message names.
const maxNamed = 20

func (s *builder) reset() { s.b = append(s.b[:0], '{') }

// data returns the object.
func (s *builder) data() []byte { return append(s.b, '}') }

// dropRow leaves a row out.
func (s *builder) dropRow(key string) {
	s.rows++
	if key != "" && len(s.keys) < maxNamed {
		s.keys = append(s.keys, key)
	}
}

// mismatch sets a field that did not fit to null.
func (s *builder) mismatch(name string) {
	if s.fields == nil {
		s.fields = make(map[string]int64)
	}
	if s.fields[name]++; s.fields[name] == 1 {
		s.names = append(s.names, name)
	}
	s.b = jsonappend.Null(jsonappend.Name(s.b, name))
}

func (s *builder) null(name string) { s.b = jsonappend.Null(jsonappend.Name(s.b, name)) }

func (s *builder) str(name, value string) { s.b = jsonappend.String(jsonappend.Name(s.b, name), value) }

// text passes a text on; null and absence are null.
func (s *builder) text(name string, v jsonvalue.Value) {
	switch {
	case v.IsNull():
		s.null(name)
	case v.Kind() == jsonvalue.String:
		s.b = v.AppendJSON(jsonappend.Name(s.b, name))
	default:
		s.mismatch(name)
	}
}

// required is text for a field that is never null.
func (s *builder) required(name string, v jsonvalue.Value) {
	if v.Kind() != jsonvalue.String {
		s.mismatch(name)
		return
	}
	s.text(name, v)
}

// count passes an integer on, which is never null.
func (s *builder) count(name string, v jsonvalue.Value) {
	n, ok := v.IntOK()
	if !ok {
		s.mismatch(name)
		return
	}
	s.b = jsonappend.Int(jsonappend.Name(s.b, name), n)
}

// flag passes a boolean on, which is never null.
func (s *builder) flag(name string, v jsonvalue.Value) {
	if k := v.Kind(); k != jsonvalue.True && k != jsonvalue.False {
		s.mismatch(name)
		return
	}
	s.b = jsonappend.Bool(jsonappend.Name(s.b, name), v.Bool())
}

// moment passes an RFC 3339 time on; null and absence are null.
func (s *builder) moment(name string, v jsonvalue.Value) {
	if v.IsNull() {
		s.null(name)
		return
	}
	if _, ok := instant(v); !ok {
		s.mismatch(name)
		return
	}
	s.text(name, v)
}

// idText passes a number on as text: ids are texts in records.
func (s *builder) idText(name string, v jsonvalue.Value) {
	switch n, ok := v.IntOK(); {
	case ok:
		s.str(name, strconv.FormatInt(n, 10))
	case v.IsNull():
		s.null(name)
	default:
		s.mismatch(name)
	}
}

// words makes a list of texts of an array: of texts, or of one text member of
// each object. Null and absence are null.
func (s *builder) words(name string, list jsonvalue.Value, member string) {
	if list.IsNull() {
		s.null(name)
		return
	}
	if list.Kind() != jsonvalue.Array {
		s.mismatch(name)
		return
	}
	from := len(s.b)
	s.b = append(jsonappend.Name(s.b, name), '[')
	for it := list.Children(); it.Next(); {
		v := it.Value()
		if v.Kind() == jsonvalue.Object && member != "" {
			v = v.Get(member)
		}
		if v.Kind() != jsonvalue.String {
			s.b = s.b[:from]
			s.mismatch(name)
			return
		}
		s.b = v.AppendJSON(jsonappend.Elem(s.b))
	}
	s.b = append(s.b, ']')
}

// instant reads a time of the API.
func instant(v jsonvalue.Value) (time.Time, bool) {
	if v.Kind() != jsonvalue.String {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, v.View())
	return t.UTC(), err == nil
}

// number reads an id: a positive integer, as text.
func number(v jsonvalue.Value) string {
	if n, ok := v.IntOK(); ok && n > 0 {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// droppedRows reports whether a row was left out.
func (s *builder) droppedRows() bool { return s.rows > 0 }

// report reports the mismatches to the host.
func (s *builder) report(h *sdk.Host) error {
	if s.rows == 0 && len(s.names) == 0 {
		return nil
	}
	message := "some fields of GitHub's answers did not have the documented form and were collected as null"
	if s.rows > 0 {
		message = counted(s.rows, "row", "rows") + " of GitHub's answers did not have the documented form and could not be collected"
	}
	d := jsonappend.Int(jsonappend.Name([]byte{'{'}, "rows"), s.rows)
	d = append(jsonappend.Name(d, "fields"), '{')
	for _, name := range s.names[:min(len(s.names), maxNamed)] {
		d = jsonappend.Int(jsonappend.Name(d, name), s.fields[name])
	}
	return h.Skip(abi.SkipResult{
		Stream: s.stream, Reason: reasonShape, Message: message, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`),
		Diagnostics: append(d, '}', '}'), ResourceIDs: s.keys,
	})
}

// counted returns a number with its noun: "1 row", "2 rows".
func counted(n int64, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
