package owner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The records of a stream are read as they are stored.
type (
	// Record is one record.
	Record = storage.Record
	// RecordQuery chooses records.
	RecordQuery = storage.RecordQuery
	// Unreadable is a range of changes that a salvage could not read.
	Unreadable = storage.Unreadable
	// StreamCounts are the counters that are kept beside a stream's records.
	StreamCounts = storage.StreamInfo
)

// Streams are the names of a connection's streams.
type Streams struct {
	Connection, Connector string
	Names                 []string
}

// StreamReader reads the records of one stream.
type StreamReader struct {
	Connection, Name string

	store *storage.Store
	conn  *storage.Connection
}

// Streams lists the streams that the store has of a connection, and those that its
// accepted manifest declares.
func (o *Owner) Streams(ctx context.Context, connection string) (*Streams, error) {
	store, conn, err := o.Find(ctx, connection)
	if err != nil {
		return nil, err
	}
	infos, err := store.Streams(ctx, conn.Name)
	if err != nil {
		return nil, err
	}
	all := &Streams{Connection: conn.Name, Connector: conn.Connector}
	for _, s := range infos {
		all.Names = append(all.Names, s.Name)
	}
	if m := modules.Pinned(conn); m != nil {
		for _, s := range m.Streams {
			all.Names = append(all.Names, s.Name)
		}
	}
	slices.Sort(all.Names)
	all.Names = slices.Compact(all.Names)
	return all, nil
}

// Hint names the streams, and what to do when there are none.
func (s *Streams) Hint() string {
	if len(s.Names) == 0 {
		return "nothing was collected yet: pdpp-host run " + s.Connector
	}
	return "its streams are: " + strings.Join(s.Names, ", ")
}

// Check refuses a stream that the connection does not have: an unknown stream is an
// error, never an empty one (Invariant 8).
func (s *Streams) Check(stream string) error {
	if slices.Contains(s.Names, stream) {
		return nil
	}
	hint := s.Hint()
	if n := abi.Nearest(stream, s.Names); n != "" {
		hint = fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return abi.NewError(abi.CodeStreamUnknown, fmt.Sprintf("connection %s has no stream %q", s.Connection, stream), hint)
}

// OpenStream opens a stream of a connection for reading.
func (o *Owner) OpenStream(ctx context.Context, connection, stream string) (*StreamReader, error) {
	all, err := o.Streams(ctx, connection)
	if err == nil {
		err = all.Check(stream)
	}
	if err != nil {
		return nil, err
	}
	store, conn, err := o.Find(ctx, connection)
	if err != nil {
		return nil, err
	}
	return &StreamReader{conn.Name, stream, store, conn}, nil
}

// ConnectionID is the id of the stream's connection, which stays when its name changes.
func (r *StreamReader) ConnectionID() string { return r.conn.ID }

// Declared returns what the accepted manifest says of the stream; nil: nothing.
func (r *StreamReader) Declared() *abi.Stream {
	if m := modules.Pinned(r.conn); m != nil {
		return m.Stream(r.Name)
	}
	return nil
}

// Shape returns what the accepted manifest says for reading the stream. One that it does not
// declare has no fields.
func (r *StreamReader) Shape() *declaration.Stream {
	return &plan.Of(r.conn.PinnedManifest, r.Name).Stream
}

// Page returns the records that q chooses, by key.
func (r *StreamReader) Page(ctx context.Context, q RecordQuery) ([]Record, error) {
	page, err := r.store.Records(ctx, r.Connection, r.Name, q)
	return page, emptyIfNew(err)
}

// emptyIfNew is nil for stream.unknown: the store knows no record of a stream that is declared.
func emptyIfNew(err error) error {
	if abi.CodeOf(err) == abi.CodeStreamUnknown {
		return nil
	}
	return err
}

// Record returns the record with a key.
func (r *StreamReader) Record(ctx context.Context, key string) (*Record, error) {
	record, err := r.store.Record(ctx, r.Connection, r.Name, key)
	if err != nil && abi.CodeOf(err) == abi.CodeRecordUnknown {
		return nil, abi.NewError(abi.CodeRecordUnknown, fmt.Sprintf("stream %s has no record %q", r.Name, key),
			fmt.Sprintf("keys are listed by: pdpp-host records list %s %s", r.Connection, r.Name)).Wrap(err)
	}
	return record, err
}

// Each calls fn with every record, by key.
func (r *StreamReader) Each(ctx context.Context, fn func(Record) error) error {
	return emptyIfNew(r.store.EachRecord(ctx, r.Connection, r.Name, fn))
}

// Salvage calls fn with every record that can be read around what is damaged, in the
// order of changes, and returns what cannot.
func (r *StreamReader) Salvage(ctx context.Context, fn func(Record) error) ([]Unreadable, error) {
	return r.store.Salvage(ctx, r.Connection, r.Name, fn)
}

// Counts reads the stream's counters.
func (r *StreamReader) Counts(ctx context.Context) (StreamCounts, error) {
	all, err := r.store.Streams(ctx, r.Connection)
	if err != nil {
		return StreamCounts{}, err
	}
	if i := slices.IndexFunc(all, func(s StreamCounts) bool { return s.Name == r.Name }); i >= 0 {
		return all[i], nil
	}
	return StreamCounts{Name: r.Name}, nil
}
