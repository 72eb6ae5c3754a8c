package data

import (
	"context"
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// Record is a record as its owner sees it. Data and Key are a stranger's text.
type Record struct {
	Connection   string          `json:"connection"` // its name
	ConnectionID string          `json:"connection_id"`
	Connector    string          `json:"connector"`
	Stream       string          `json:"stream"`
	Key          string          `json:"key"`
	Seq          int64           `json:"seq"`
	EmittedAt    string          `json:"emitted_at"` // as the connector wrote it
	RunID        string          `json:"run_id"`     // that changed it last; "": older than the history
	Data         json.RawMessage `json:"data,omitempty"`
}

func shown(r *read.Record) Record {
	return Record{r.Connection, r.ConnectionID, r.Connector, r.Stream, r.Key, r.Seq, r.EmittedAt, r.RunID, r.Data}
}

// Filter compares a field with a value: eq, gte, gt, lte or lt.
type Filter struct {
	Field    string
	Operator string
	Value    string
}

// RecordsRequest asks for a page of a stream.
type RecordsRequest struct {
	Stream      string
	Connections []string // by name or id; nil: each that has the stream
	Connector   string   // "": of any
	Filters     []Filter
	Fields      []string // nil: all
	Sort        string   // the cursor field, with - before it for descending; "": that, descending
	Order       string   // asc, desc; "": as Sort
	Limit       int      // 1 to 100; 0: 25
	Cursor      string
	Count       bool
}

// Warning says how an answer differs from what was asked for.
type Warning = read.Warning

// Page is a part of a stream.
type Page struct {
	Records  []Record  `json:"records"`
	Next     string    `json:"next_cursor,omitempty"` // "": this is the last
	Count    *int64    `json:"count,omitempty"`       // null: not asked for, or it takes too long
	Warnings []Warning `json:"warnings,omitempty"`
}

// Records returns a page of a stream.
func Records(ctx context.Context, o *owner.Owner, r RecordsRequest) (*Page, error) {
	reader, err := o.Reader(ctx)
	if err != nil {
		return nil, err
	}
	l := read.List{
		From: read.From{Stream: r.Stream, Connections: r.Connections, Connector: r.Connector}, Fields: r.Fields, Sort: r.Sort, Order: r.Order,
		Limit: r.Limit, Cursor: r.Cursor, Count: r.Count,
	}
	for _, f := range r.Filters {
		l.Filters = append(l.Filters, read.Filter{Field: f.Field, Op: read.Operator(f.Operator), Value: f.Value})
	}
	found, err := reader.List(ctx, read.OwnerScope(), l)
	if err != nil {
		return nil, err
	}
	p := &Page{Records: make([]Record, len(found.Records)), Next: found.Next, Count: found.Count, Warnings: found.Warnings}
	for i := range found.Records {
		p.Records[i] = shown(&found.Records[i])
	}
	return p, nil
}

// Change is a change of a record.
type Change struct {
	Seq       int64  `json:"seq"`
	Deleted   bool   `json:"deleted"`
	EmittedAt string `json:"emitted_at"`
	RunID     string `json:"run_id"`
}

// RecordDetail is one record with what is known of its changes.
type RecordDetail struct {
	Record

	Deleted bool     `json:"deleted"`          // it has no data any more
	Erased  bool     `json:"deleted_by_owner"` // not at its source, and no run brings it back
	Changes []Change `json:"changes"`          // the newest first
	// Earlier: there may have been changes before these. The host keeps what a record is, and
	// nothing of what it was.
	Earlier bool `json:"earlier_changes_not_kept"`
}

// RecordOf returns a record with its history, a deleted one as well.
func RecordOf(ctx context.Context, o *owner.Owner, connection, stream, key string) (*RecordDetail, error) {
	reader, err := o.Reader(ctx)
	if err != nil {
		return nil, err
	}
	one := read.One{From: read.From{Stream: stream, Connections: []string{connection}}, Key: key}
	h, err := reader.History(ctx, read.OwnerScope(), one)
	if err != nil {
		return nil, err
	}
	d := &RecordDetail{Record: shown(&h.Record), Deleted: h.Changes[0].Deleted, Earlier: h.Earlier}
	for _, c := range h.Changes {
		d.Changes = append(d.Changes, Change(c))
	}
	if d.Deleted {
		store, err := o.Store(ctx)
		if err != nil {
			return nil, err
		}
		if d.Erased, err = store.IsErased(ctx, d.ConnectionID, stream, key); err != nil {
			return nil, err
		}
	}
	return d, nil
}
