package data

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// Where narrows an overview. Its zero value leaves everything in.
type Where struct {
	Stream      string
	Connections []string // by name or id
}

// StreamSize sizes one stream of a connection.
type StreamSize struct {
	Connection   string `json:"connection"` // its name
	ConnectionID string `json:"connection_id"`
	Connector    string `json:"connector"`
	Stream       string `json:"stream"`
	Records      int64  `json:"records"`
	First        string `json:"first_day,omitempty"`  // of a record, YYYY-MM-DD; "": none has a time
	Last         string `json:"last_day,omitempty"`   // likewise
	Changed      string `json:"changed_at,omitempty"` // when the last change was collected, as its connector wrote it
}

// StreamSizes are the streams there are, by connection and name.
type StreamSizes struct {
	Streams []StreamSize `json:"streams"`
	Behind  int64        `json:"changes_not_indexed,omitempty"`
}

// Indexing says how far the index is, which pages, searches and counts of days are made by.
type Indexing struct {
	Behind  int64 `json:"changes_not_indexed"`
	Changes int64 `json:"changes"` // of the store, since it was made
}

// IndexingOf returns how far the index is.
func IndexingOf(ctx context.Context, o *owner.Owner) (*Indexing, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	at, err := store.Position(ctx)
	return &Indexing{at.Missing(), at.Last}, err
}

// Streams sizes each stream.
func Streams(ctx context.Context, o *owner.Owner, w Where) (*StreamSizes, error) {
	reader, err := o.Reader(ctx)
	if err != nil {
		return nil, err
	}
	all, behind, err := reader.Streams(ctx, read.OwnerScope(), read.Overview{Stream: w.Stream, Connections: w.Connections})
	if err != nil {
		return nil, err
	}
	out := &StreamSizes{Streams: make([]StreamSize, len(all)), Behind: behind}
	for i := range all {
		s := &all[i]
		out.Streams[i] = StreamSize{s.Connection, s.ConnectionID, s.Connector, s.Name, *s.Records, date(s.First), date(s.Last), s.Changed}
	}
	return out, nil
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// Day counts the records of one day.
type Day struct {
	Date    string `json:"date"` // YYYY-MM-DD, UTC
	Records int64  `json:"records"`
}

// DayCounts are the days with records, the first one first.
type DayCounts struct {
	Days   []Day `json:"days"`
	Behind int64 `json:"changes_not_indexed,omitempty"`
}

// Days counts the records of each day from a first to a last one, both included.
func Days(ctx context.Context, o *owner.Owner, w Where, first, last time.Time) (*DayCounts, error) {
	reader, err := o.Reader(ctx)
	if err != nil {
		return nil, err
	}
	days, behind, err := reader.Days(ctx, read.OwnerScope(), read.Overview{Stream: w.Stream, Connections: w.Connections}, first, last)
	if err != nil {
		return nil, err
	}
	out := &DayCounts{Days: make([]Day, len(days)), Behind: behind}
	for i, d := range days {
		out.Days[i] = Day{date(d.Date), d.Records}
	}
	return out, nil
}
