package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/storage"
)

// fixed are the columns before those of the data. The underscore keeps them
// apart from a field of the same name.
var fixed = []string{"_key", "_emitted_at", "_deleted"}

// Columns collects the fields of a stream's records. The zero value is ready.
type Columns struct {
	names []string
	seen  map[string]bool
}

// AddSchema adds the properties of a JSON Schema, in its order. A schema
// without properties adds none.
func (c *Columns) AddSchema(schema []byte) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) == nil {
		_ = c.AddObject(s.Properties) // a manifest without properties has no columns to give
	}
}

// AddObject adds the names of a JSON object, in its order.
func (c *Columns) AddObject(object []byte) error {
	if len(object) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		if name, ok := t.(string); ok && !c.seen[name] {
			c.seen[name] = true
			c.names = append(c.names, name)
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the columns, the record's own first.
func (c *Columns) Names() []string { return append(slices.Clone(fixed), c.names...) }

// CSV writes comma-separated values (RFC 4180, but with LF): a header, then a
// row a record. Text stands as it is, null and absent are empty, numbers and
// booleans are their JSON, objects and arrays are compact JSON. It is not safe
// for concurrent use.
type CSV struct {
	w       *csv.Writer
	columns []string
	place   map[string]int
	row     []string
	safe    bool
	// Dropped counts fields that no column was made for, because they came
	// between the two passes over the records.
	Dropped int64
}

// NewCSV writes the header and returns the writer. Call Close at the end. safe
// changes text for a spreadsheet, see safeCell.
func NewCSV(w io.Writer, c *Columns, safe bool) (*CSV, error) {
	out := &CSV{w: csv.NewWriter(w), columns: c.names, place: make(map[string]int, len(c.names)), safe: safe}
	for i, name := range c.names {
		out.place[name] = len(fixed) + i
	}
	out.row = make([]string, len(fixed)+len(c.names))
	header := c.Names()
	if safe {
		for i := range header {
			header[i] = safeCell(header[i])
		}
	}
	return out, out.w.Write(header)
}

// Write writes one record.
func (c *CSV) Write(r storage.Record) error {
	clear(c.row)
	c.row[0], c.row[1] = c.text(r.Key), c.text(r.EmittedAt)
	if r.Deleted {
		c.row[2] = "true"
		return c.w.Write(c.row)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(r.Data, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		if at, ok := c.place[name]; ok {
			c.row[at] = c.cell(value)
		} else {
			c.Dropped++
		}
	}
	return c.w.Write(c.row)
}

// Close writes what is buffered.
func (c *CSV) Close() error {
	c.w.Flush()
	return c.w.Error()
}

func (c *CSV) cell(value json.RawMessage) string {
	if bytes.Equal(value, []byte("null")) {
		return ""
	}
	if value[0] == '"' {
		var s string
		if json.Unmarshal(value, &s) == nil {
			return c.text(s)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return string(value)
	}
	return compact.String()
}

func (c *CSV) text(s string) string {
	if c.safe {
		return safeCell(s)
	}
	return s
}

// safeCell removes control characters but line ends and tabs, and writes an
// apostrophe before text that a spreadsheet would take for a formula.
func safeCell(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@\t\n＝＋－＠", first) { // some spreadsheets read the wide ones alike
		return "'" + s
	}
	return s
}
