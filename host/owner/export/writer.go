package export

import (
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Format is what records are written as.
type Format string

// The formats.
const (
	JSONLines Format = "jsonl"
	Values    Format = "csv"
)

// Known reports whether there is such a format.
func (f Format) Known() bool { return f == JSONLines || f == Values }

// Writer writes records. It is not safe for concurrent use.
type Writer interface {
	Write(r storage.Record) error
	Close() error
}

// New makes the writer of a format. A CSV needs its columns first: those of the declared
// schema, and those of a pass over the records, by each, for what that leaves open. safe
// changes a CSV's text for a spreadsheet.
func New(w io.Writer, format Format, declared *abi.Stream, safe bool, each func(func(storage.Record) error) error) (Writer, error) {
	if format == JSONLines {
		return NewLines(w), nil
	}
	var columns Columns
	if declared != nil {
		columns.AddSchema(declared.Schema)
	}
	err := each(func(r storage.Record) error {
		if r.Deleted {
			return nil
		}
		return columns.AddObject(r.Data)
	})
	if err != nil {
		return nil, err
	}
	return NewCSV(w, &columns, safe)
}
