package export

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Lines writes JSON Lines: one object a record, {"stream","key","seq",
// "emitted_at","run_id","data"}, a tombstone with "deleted":true and without
// data. Data stands as it is stored. It is not safe for concurrent use.
type Lines struct {
	w *bufio.Writer
	b []byte
}

// NewLines returns a writer of JSON Lines on w. Call Close at the end.
func NewLines(w io.Writer) *Lines { return &Lines{w: bufio.NewWriterSize(w, 64<<10)} }

// line is everything of a record but its data, whose text is appended.
type line struct {
	Stream    string          `json:"stream"`
	Key       string          `json:"key"`
	Seq       int64           `json:"seq"`
	EmittedAt string          `json:"emitted_at"`
	RunID     string          `json:"run_id"`
	Deleted   bool            `json:"deleted,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// Write writes one record.
func (l *Lines) Write(r storage.Record) error {
	head, err := json.Marshal(line{Stream: r.Stream, Key: r.Key, Seq: r.Seq, EmittedAt: r.EmittedAt, RunID: r.RunID, Deleted: r.Deleted})
	if err != nil {
		return err
	}
	l.b = append(l.b[:0], head[:len(head)-1]...)
	if !r.Deleted {
		l.b = append(append(l.b, `,"data":`...), r.Data...)
	}
	l.b = append(l.b, "}\n"...)
	_, err = l.w.Write(l.b)
	return err
}

// Close writes what is buffered.
func (l *Lines) Close() error { return l.w.Flush() }
