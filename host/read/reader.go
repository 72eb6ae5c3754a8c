package read

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Times that a read may take.
const (
	// Wait is how long a server's read waits for the index (RD-16.6).
	Wait = 5 * time.Second
	// PageWait is how long a page of the console does, which says how far the index is.
	PageWait = time.Second
	atMost   = 20 * time.Second // RD-07
	toCount  = 2 * time.Second  // RD-19
	toSize   = 50 * time.Millisecond
	// A read that says how much is missing waits less for the index. A page of the console asks for two
	// overviews, and is there within a second however much was collected.
	toOverview = 200 * time.Millisecond
	toSearch   = 2 * time.Second
)

// briefly is how long a read waits for the index that need not wait for all of it.
func (r *Reader) briefly(most time.Duration) time.Duration {
	if r.Wait == 0 {
		return 0
	}
	return min(r.Wait, most)
}

// Reader reads one store. It is safe for concurrent use.
type Reader struct {
	Store  *storage.Store
	Index  *index.Indexer
	Now    func() time.Time
	Random io.Reader     // of cursors
	Wait   time.Duration // for the index; 0: as long as it takes
	Kept   time.Duration // how long changes are known that were told; 0: for ever
	Ranked *Rankings     // of searches that have further pages
}

// Record is a record as a reader sees it.
type Record struct {
	Stream       string
	Key          string
	ConnectionID string
	Connection   string // its name
	Connector    string
	Seq          int64
	Data         []byte // JSON, of the fields that are seen and asked for
	EmittedAt    string // as the connector wrote it
	RunID        string // that changed it last; "": older than the history
	Expanded     []Expanded
}

// From names the streams that a request reads.
type From struct {
	Stream      string
	Connections []string // by id or name; nil: each that has the stream
	Connector   string   // "": of any
}

// record is a row as it is shown. To a client it was emitted when what is shown of it last
// changed, and no run tells of it (RD-23.8).
func (s *source) record(row *storage.ReadRow, shown *projection, past []storage.ReadPast, fields []string) Record {
	r := Record{
		Stream: s.Name, Key: row.Key, ConnectionID: s.ConnectionID, Connection: s.Connection, Connector: s.Connector,
		Seq: row.Seq, Data: s.cut(row.Data, fields), EmittedAt: row.EmittedAt, RunID: row.RunID,
	}
	if s.scope == nil {
		return r
	}
	r.Seq, r.RunID, r.EmittedAt = 0, "", ""
	if shown != nil && row.History != nil {
		_, us := s.since(shown, row.History, past)
		r.EmittedAt = written(us)
	}
	return r
}

// sources finds what a request reads, indexed as far as the store is now, and says how far
// that is. It answers for a connection outside the scope as for one that is not there
// (RD-03.2).
func (r *Reader) sources(ctx context.Context, scope *Scope, f From) (found []source, at storage.ReadPosition, err error) {
	granted, ok := scope.of(f.Stream)
	if !ok {
		return nil, at, NotGranted("the stream")
	}
	if f.Stream == "" {
		return nil, at, invalid("a stream is needed", "name one")
	}
	connections, err := r.connections(ctx, scope, granted, f.Connections)
	if err != nil {
		return nil, at, err
	}
	streams, at, err := r.Index.Ready(ctx, r.Wait, func(ctx context.Context) ([]storage.ReadStream, error) {
		all, err := r.Store.ReadStreams(ctx, storage.ReadStreams{Connections: connections, Name: f.Stream})
		return slices.DeleteFunc(all, func(s storage.ReadStream) bool {
			return f.Connector != "" && !abi.SameConnector(s.Connector, f.Connector)
		}), err
	})
	if err != nil {
		return nil, at, err
	}
	if len(streams) == 0 && scope.Owner {
		return nil, at, abi.NewError(abi.CodeStreamUnknown, "no connection has that stream", "`pdpp-host records list` shows the streams there are")
	}
	found, err = r.planned(ctx, scope, streams)
	return found, at, err
}

// connections returns the ids of what is asked for by name or id, nil: any. A client knows ids
// alone: one that its scope does not have is not looked up, so that no time tells of it.
func (r *Reader) connections(ctx context.Context, scope *Scope, granted *StreamScope, asked []string) ([]string, error) {
	var seen []string
	switch {
	case granted != nil:
		seen = append([]string{}, granted.Connections...)
	case !scope.Owner:
		seen = scope.connections()
	}
	if asked == nil {
		return seen, nil
	}
	ids := []string{}
	for _, name := range asked {
		if seen != nil && !slices.Contains(seen, name) {
			return nil, noConnection()
		}
		c, err := r.Store.Connection(ctx, name)
		if abi.CodeOf(err) == abi.CodeConnectionUnknown || err == nil && seen != nil && c.ID != name {
			return nil, noConnection()
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

func noConnection() error {
	return abi.NewError(abi.CodeConnectionUnknown, "there is no such connection", "`pdpp-host connections list` shows the ones there are")
}

func (r *Reader) planned(ctx context.Context, scope *Scope, streams []storage.ReadStream) ([]source, error) {
	out := make([]source, 0, len(streams))
	for i := range streams {
		if !scope.sees(&streams[i]) {
			continue
		}
		granted, _ := scope.of(streams[i].Name)
		p, err := r.Index.Plans.Of(ctx, &streams[i])
		if err != nil {
			return nil, err
		}
		out = append(out, source{streams[i], p, granted})
	}
	return out, nil
}

// bounded runs a read for as long as one may take. Beyond that it is read.busy.
func bounded[T any](ctx context.Context, within time.Duration, do func(context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer, err := do(limited)
	if err != nil && ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || limited.Err() != nil) {
		err = abi.NewError(CodeBusy, "the read takes too long", "ask for less: another filter, or one connection").Wrap(err)
	}
	return answer, err
}

func compare(a, b []byte) int { return bytes.Compare(a, b) }
