package export

import (
	"io"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Format is what records are written as.
type Format string

// The formats.
const (
	JSONLines Format = "jsonl"
	Values    Format = "csv"
	Columnar  Format = "parquet"
)

// Formats are all of them.
func Formats() []Format { return []Format{JSONLines, Values, Columnar} }

// Known reports whether there is such a format.
func (f Format) Known() bool { return slices.Contains(Formats(), f) }

// Writer writes records. It is not safe for concurrent use.
type Writer interface {
	Write(r storage.Record) error
	Close() error
}

// New makes the writer of a format. CSV and Parquet need their columns first: those of the declared
// schema, and those of a pass over the records, by each, for what that leaves open. safe
// changes a CSV's text for a spreadsheet.
func New(w io.Writer, format Format, declared *abi.Stream, safe bool, each func(func(storage.Record) error) error) (Writer, error) {
	if format == JSONLines {
		return NewLines(w), nil
	}
	var schema []byte
	if declared != nil {
		schema = declared.Schema
	}
	columns, table := &Columns{}, NewTable(nil)
	add := columns.AddObject
	if format == Columnar {
		table = NewTable(schema)
		add = table.AddObject
	} else {
		columns.AddSchema(schema)
	}
	err := each(func(r storage.Record) error {
		if r.Deleted {
			return nil
		}
		return add(r.Data)
	})
	switch {
	case err != nil:
		return nil, err
	case format == Columnar:
		return NewParquet(w, table)
	}
	return NewCSV(w, columns, safe)
}
