package record

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Record is the latest state of one record. Data is its JSON, nil for a
// tombstone. EmittedAt is as the connector wrote it.
type Record struct {
	Seq       int64
	Stream    string
	Key       string
	Data      []byte
	Deleted   bool
	EmittedAt string
	RunID     string // the run that changed it last; "" when that is older than the history
}

// Query is one page of a stream. The order is the key's, by its bytes.
type Query struct {
	AfterKey string // the last key of the page before; "" for the first page
	Limit    int    // 0: 100
	Deleted  bool   // with tombstones
}

// records reads full rows with the id of the run that wrote them.
func (s *Store) records(q bun.IDB) *bun.SelectQuery {
	return q.NewSelect().TableExpr("records AS r").
		ColumnExpr("r.seq, r.stream_id, r.key, r.data, r.deleted, r.emitted_at, coalesce(u.run_id, '') AS run_id").
		Join("LEFT JOIN runs AS u ON u.pk = r.run_pk")
}

type readRecord struct {
	Seq       int64
	StreamID  int64
	Key       string
	Data      *string
	Deleted   int64
	EmittedAt string
	RunID     string
}

func (r *readRecord) public(stream string) Record {
	out := Record{Seq: r.Seq, Stream: stream, Key: r.Key, Deleted: r.Deleted != 0, EmittedAt: r.EmittedAt, RunID: r.RunID}
	if r.Data != nil {
		out.Data = []byte(*r.Data)
	}
	return out
}

// streamOf reads a stream's row. A stream that no run ever had is stream.unknown.
func (s *Store) streamOf(ctx context.Context, connection, stream string) (*tables.StreamRow, error) {
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail("read the stream", err)
	}
	row := new(tables.StreamRow)
	err = s.db.Read.NewSelect().Model(row).Where("connection_id = ? AND name = ? AND removed = 0", c.ID, stream).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, abi.NewError(abi.CodeStreamUnknown, "connection "+c.Name+" has no stream "+stream,
			"`pdpp-host records list "+c.Name+"` shows the streams there are")
	}
	return row, s.db.Fail("read the stream", err)
}

// Records returns one page of a stream's records.
func (s *Store) Records(ctx context.Context, connection, stream string, q Query) ([]Record, error) {
	st, err := s.streamOf(ctx, connection, stream)
	if err != nil {
		return nil, err
	}
	return s.page(ctx, st, q)
}

func (s *Store) page(ctx context.Context, st *tables.StreamRow, q Query) ([]Record, error) {
	var rows []readRecord
	query := s.records(s.db.Read).Where("r.stream_id = ? AND r.key > ?", st.ID, q.AfterKey).
		Order("r.key").Limit(int64(tables.PageLimit(q.Limit)))
	if !q.Deleted {
		query = query.Where("r.deleted = 0")
	}
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, s.db.Fail("read records", err)
	}
	out := make([]Record, len(rows))
	for i := range rows {
		out[i] = rows[i].public(st.Name)
	}
	return out, nil
}

// Record returns one record or tombstone, or record.unknown.
func (s *Store) Record(ctx context.Context, connection, stream, key string) (*Record, error) {
	st, err := s.streamOf(ctx, connection, stream)
	if err != nil {
		return nil, err
	}
	var row readRecord
	err = s.records(s.db.Read).Where("r.stream_id = ? AND r.key = ?", st.ID, key).Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, abi.NewError(abi.CodeRecordUnknown, "stream "+stream+" has no record with that key",
			"`pdpp-host records list` shows the keys there are")
	}
	if err != nil {
		return nil, s.db.Fail("read the record", err)
	}
	r := row.public(st.Name)
	return &r, nil
}

// EachRecord calls fn with every record and tombstone of a stream, by key. It
// reads page by page and holds no snapshot, so that a long export does not keep
// the write-ahead log from being folded back: a record that changes meanwhile
// may be seen in either state. An error of fn ends it and is returned as it is.
func (s *Store) EachRecord(ctx context.Context, connection, stream string, fn func(Record) error) error {
	st, err := s.streamOf(ctx, connection, stream)
	if err != nil {
		return err
	}
	q := Query{Limit: tables.EachPage, Deleted: true}
	for {
		page, err := s.page(ctx, st, q)
		if err != nil {
			return err
		}
		for _, r := range page {
			if err := fn(r); err != nil {
				return err
			}
		}
		if len(page) < q.Limit {
			return nil
		}
		q.AfterKey = page[len(page)-1].Key
	}
}

// Changes returns what changed in a connection's records after change since, in
// the order of the changes: each record once, in its latest state. The next
// call's since is the last one's Seq.
func (s *Store) Changes(ctx context.Context, connection string, since int64, limit int) ([]Record, error) {
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail("read the changes", err)
	}
	var streams []tables.StreamRow
	if err := s.db.Read.NewSelect().Model(&streams).Where("connection_id = ? AND removed = 0", c.ID).Scan(ctx); err != nil {
		return nil, s.db.Fail("read the changes", err)
	}
	streams = slices.DeleteFunc(streams, func(st tables.StreamRow) bool { return st.LastSeq <= since })
	if len(streams) == 0 {
		return nil, nil
	}
	names := map[int64]string{}
	ids := make([]int64, len(streams))
	for i, st := range streams {
		ids[i], names[st.ID] = st.ID, st.Name
	}
	var rows []readRecord
	// "+": the planner would rather look streams up in the key index and sort.
	err = s.records(s.db.Read).Where("r.seq > ? AND +r.stream_id IN (?)", since, bun.List(ids)).
		Order("r.seq").Limit(int64(tables.PageLimit(limit))).Scan(ctx, &rows)
	if err != nil {
		return nil, s.db.Fail("read the changes", err)
	}
	out := make([]Record, len(rows))
	for i := range rows {
		out[i] = rows[i].public(names[rows[i].StreamID])
	}
	return out, nil
}
