package export

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/owner/export/parquet"
	"github.com/pdpp-host/pdpp-host/storage"
)

// These bound what a schema or a record can make of a file's columns. A member beyond them, or
// whose name is none for a column, stands in the last column, as JSON.
const (
	mostColumns = 1000
	longestName = 256 // in bytes
	moreColumn  = "_more"
)

// sorts are the sorts of values that a member has had.
type sorts uint8

const (
	texts sorts = 1 << iota
	wholes
	numbers
	truths
	large // a whole number that no Double has exactly
	other // a list, an object, or a number that is too large
	instants
)

// kind is the column that holds all of these.
func (s sorts) kind() parquet.Kind {
	switch s {
	case texts:
		return parquet.Text
	case wholes, wholes | large:
		return parquet.Int
	case numbers, numbers | wholes:
		return parquet.Double
	case truths:
		return parquet.Bool
	case instants:
		return parquet.Instant
	case instants | texts:
		return parquet.Text
	}
	return parquet.JSON
}

// declares is what a schema says of a member.
type declares struct {
	Type   json.RawMessage `json:"type"`
	Format string          `json:"format"`
}

// sorts are what a member may have. Whether its texts are instants is left to the records if the schema says so.
func (d declares) sorts() (s sorts) {
	var one string
	many := []string{}
	if json.Unmarshal(d.Type, &one) == nil {
		many = append(many, one)
	} else {
		_ = json.Unmarshal(d.Type, &many) // what it does not say, the records do
	}
	for _, kind := range many {
		if kind == "string" && d.Format == "date-time" {
			s |= instants
		} else {
			s |= declaredSorts[kind]
		}
	}
	return s
}

// declaredSorts are what a schema's type lets a member have.
var declaredSorts = map[string]sorts{"string": texts, "integer": wholes, "number": numbers, "boolean": truths, "array": other, "object": other}

// Table finds out which columns a Parquet file of records has: those of the schema's
// properties in their order, then those that records have besides. A column of instants has those of RFC 3339 to the microsecond.
type Table struct {
	names []string
	sorts map[string]sorts // by name
	lower map[string]bool  // tools tell no case apart
}

// NewTable begins with the columns of a schema, which may be nil.
func NewTable(schema []byte) *Table {
	t := &Table{sorts: map[string]sorts{}, lower: map[string]bool{moreColumn: true}}
	for _, name := range fixed {
		t.lower[name] = true
	}
	var c Columns
	c.AddSchema(schema)
	var s struct {
		Properties map[string]declares `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // what it does not say, the records do
	for _, name := range c.names {
		t.column(name)
		t.add(name, s.Properties[name].sorts())
	}
	return t
}

// column gives a member a column, where its name is one for it and there is room.
func (t *Table) column(name string) {
	folded := strings.ToLower(name)
	plain := utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if name == "" || len(name) > longestName || !plain || t.lower[folded] || len(t.names) >= mostColumns {
		return
	}
	t.names, t.lower[folded], t.sorts[name] = append(t.names, name), true, 0
}

func (t *Table) add(name string, s sorts) {
	if _, has := t.sorts[name]; has {
		t.sorts[name] |= s
	}
}

// AddObject notes the members of a record.
func (t *Table) AddObject(object []byte) error {
	var names Columns
	if err := names.AddObject(object); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return err
	}
	for _, name := range names.names {
		if _, has := t.sorts[name]; !has {
			t.column(name)
		}
		t.add(name, sortOf(fields[name]))
	}
	return nil
}

// sortOf is the sort of one value; 0 of null.
func sortOf(value []byte) sorts {
	switch value[0] {
	case '"':
		if _, is := instantOf(value); is {
			return instants
		}
		return texts
	case 't', 'f':
		return truths
	case 'n':
		return 0
	case '{', '[':
		return other
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		if n > 1<<53 || n < -1<<53 {
			return wholes | large
		}
		return wholes
	}
	if x, err := strconv.ParseFloat(string(value), 64); err == nil && !math.IsInf(x, 0) && bytes.ContainsAny(value, ".eE") {
		return numbers
	}
	return other
}

// Parquet writes records as a Parquet file. Deleted records have no columns but their own.
type Parquet struct {
	file  *parquet.File
	kinds []parquet.Kind
	place map[string]int
	row   []any
}

// NewParquet makes a Parquet writer with the columns of a table.
func NewParquet(w io.Writer, t *Table) (*Parquet, error) {
	columns := []parquet.Column{{Name: fixed[0]}, {Name: fixed[1], Kind: parquet.Instant}, {Name: fixed[2], Kind: parquet.Bool}}
	out := &Parquet{place: map[string]int{}}
	for _, name := range t.names {
		out.place[name] = len(columns)
		columns = append(columns, parquet.Column{Name: name, Kind: t.sorts[name].kind()})
	}
	columns = append(columns, parquet.Column{Name: moreColumn, Kind: parquet.JSON})
	for _, c := range columns {
		out.kinds = append(out.kinds, c.Kind)
	}
	out.row = make([]any, len(columns))
	var err error
	out.file, err = parquet.New(w, columns)
	return out, err
}

// Write writes one record.
func (p *Parquet) Write(r storage.Record) error {
	clear(p.row)
	p.row[0], p.row[2] = r.Key, r.Deleted
	if at, err := time.Parse(time.RFC3339Nano, r.EmittedAt); err == nil {
		p.row[1] = at.UnixMicro()
	}
	if r.Deleted {
		return p.file.Row(p.row)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(r.Data, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		at, has := p.place[name]
		if value[0] == 'n' && has {
			delete(fields, name)
			continue
		}
		if !has {
			continue
		}
		if p.row[at] = valueOf(p.kinds[at], value); p.row[at] != nil {
			delete(fields, name)
		}
	}
	if len(fields) > 0 { // of no column, or of another sort than the first pass has seen
		more, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		p.row[len(p.row)-1] = more
	}
	return p.file.Row(p.row)
}

// instantOf reads a text of JSON that is an instant with its zone, in microseconds since 1970. One that is finer is none.
func instantOf(value []byte) (micros int64, is bool) {
	if len(value) < len(`"2006-01-02T15:04:05Z"`) || len(value) > len(`"2006-01-02T15:04:05.000000+00:00"`) {
		return 0, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(value[1:len(value)-1]))
	return at.UnixMicro(), err == nil && at.Nanosecond()%1000 == 0
}

// valueOf is a value as its column has it; nil: it does not fit there.
func valueOf(kind parquet.Kind, value json.RawMessage) any {
	switch kind {
	case parquet.Text:
		var s string
		if json.Unmarshal(value, &s) == nil {
			return s
		}
	case parquet.Int:
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return n
		}
	case parquet.Double:
		if x, err := strconv.ParseFloat(string(value), 64); err == nil {
			return x
		}
	case parquet.Bool:
		var is bool
		if json.Unmarshal(value, &is) == nil {
			return is
		}
	case parquet.Instant:
		if n, is := instantOf(value); is {
			return n
		}
	case parquet.JSON:
		return []byte(value)
	}
	return nil
}

// Close ends the file.
func (p *Parquet) Close() error { return p.file.Close() }
