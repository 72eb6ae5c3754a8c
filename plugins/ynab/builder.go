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
const reasonShape = "ynab_shape_changed"

// builder builds the data of one stream's records and counts the mismatches: a field of
// another type becomes null and is counted by name; a row without the fields of a
// record is left out and counted.
type builder struct {
	stream string
	b      []byte
	fields map[string]int64
	names  []string // of fields, in the order of their first trouble
	rows   int64
}

// maxNamed is how many fields one message names.
const maxNamed = 20

func (s *builder) reset() { s.b = append(s.b[:0], '{') }

// data returns the object.
func (s *builder) data() []byte { return append(s.b, '}') }

func (s *builder) dropRow() { s.rows++ }

// mismatch sets a field that did not fit to null.
func (s *builder) mismatch(name string) {
	if s.fields == nil {
		s.fields = make(map[string]int64)
	}
	if s.fields[name]++; s.fields[name] == 1 {
		s.names = append(s.names, name)
	}
	s.null(name)
}

func (s *builder) null(name string) { s.b = jsonappend.Null(jsonappend.Name(s.b, name)) }

func (s *builder) str(name, value string) { s.b = jsonappend.String(jsonappend.Name(s.b, name), value) }

func (s *builder) bool(name string, value bool) {
	s.b = jsonappend.Bool(jsonappend.Name(s.b, name), value)
}

// texts passes texts on, under their names; null and absence are null.
func (s *builder) texts(v jsonvalue.Value, names ...string) {
	for _, name := range names {
		switch f := v.Get(name); {
		case f.IsNull():
			s.null(name)
		case f.Kind() == jsonvalue.String:
			s.b = f.AppendJSON(jsonappend.Name(s.b, name))
		default:
			s.mismatch(name)
		}
	}
}

// required is texts for fields that are never null.
func (s *builder) required(v jsonvalue.Value, names ...string) {
	for _, name := range names {
		if v.Get(name).Kind() != jsonvalue.String {
			s.mismatch(name)
			continue
		}
		s.texts(v, name)
	}
}

// amounts passes integers on, most of them milliunits, which are never null.
func (s *builder) amounts(v jsonvalue.Value, names ...string) {
	for _, name := range names {
		if v.Get(name).IsNull() {
			s.mismatch(name)
			continue
		}
		s.numbers(v, name)
	}
}

// numbers is amounts for fields that may be null or missing.
func (s *builder) numbers(v jsonvalue.Value, names ...string) {
	for _, name := range names {
		f := v.Get(name)
		n, ok := f.IntOK()
		switch {
		case f.IsNull():
			s.null(name)
		case ok:
			s.b = jsonappend.Int(jsonappend.Name(s.b, name), n)
		default:
			s.mismatch(name)
		}
	}
}

// flags passes booleans on; null and absence are null.
func (s *builder) flags(v jsonvalue.Value, names ...string) {
	for _, name := range names {
		switch f := v.Get(name); f.Kind() {
		case jsonvalue.Null:
			s.null(name)
		case jsonvalue.True, jsonvalue.False:
			s.bool(name, f.Bool())
		case jsonvalue.Number, jsonvalue.String, jsonvalue.Array, jsonvalue.Object:
			s.mismatch(name)
		}
	}
}

// dates passes days on; null and absence are null.
func (s *builder) dates(v jsonvalue.Value, names ...string) { s.times(v, time.DateOnly, names) }

// moments passes RFC 3339 times on; null and absence are null.
func (s *builder) moments(v jsonvalue.Value, names ...string) { s.times(v, time.RFC3339, names) }

func (s *builder) times(v jsonvalue.Value, layout string, names []string) {
	for _, name := range names {
		f := v.Get(name)
		if _, err := time.Parse(layout, f.View()); !f.IsNull() && err != nil {
			s.mismatch(name)
			continue
		}
		s.texts(v, name)
	}
}

// objects passes objects on as they are; null and absence are null.
func (s *builder) objects(v jsonvalue.Value, names ...string) {
	for _, name := range names {
		switch f := v.Get(name); {
		case f.IsNull():
			s.null(name)
		case f.Kind() == jsonvalue.Object:
			s.b = f.AppendJSON(jsonappend.Name(s.b, name))
		default:
			s.mismatch(name)
		}
	}
}

// report reports the mismatches to the host.
func (s *builder) report(h *sdk.Host) error {
	if s.rows == 0 && len(s.names) == 0 {
		return nil
	}
	message := "some fields of YNAB's answers did not have the documented form and were collected as null"
	if s.rows > 0 {
		message = counted(s.rows, "row", "rows") + " of YNAB's answers did not have the documented form and could not be collected"
	}
	d := jsonappend.Int(jsonappend.Name([]byte{'{'}, "rows"), s.rows)
	d = append(jsonappend.Name(d, "fields"), '{')
	for _, name := range s.names[:min(len(s.names), maxNamed)] {
		d = jsonappend.Int(jsonappend.Name(d, name), s.fields[name])
	}
	return h.Skip(abi.SkipResult{
		Stream: s.stream, Reason: reasonShape, Message: message, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`),
		Diagnostics: append(d, '}', '}'),
	})
}

// counted returns a number with its noun: "1 row", "2 rows".
func counted(n int64, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// plainID accepts an id that becomes a part of an address or of a cursor.
func plainID(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// firstDay accepts the first day of a month, which names it.
func firstDay(month string) bool {
	t, err := time.Parse(time.DateOnly, month)
	return err == nil && t.Day() == 1
}
