package read

import (
	"context"
	"database/sql"
	"errors"
)

// Change is a record or tombstone on its way into the read state.
type Change struct {
	Seq       int64
	StreamID  int64
	Key       string
	Data      *string // nil: a tombstone
	EmittedAt string
}

// RecordsAfter returns the next records and tombstones of a stream behind a key, by key.
func (s *Store) RecordsAfter(ctx context.Context, streamID int64, key string, limit int) (all []Change, err error) {
	return s.changes(ctx, "read the records", "stream_id = ? AND key > ? ORDER BY key LIMIT ?", streamID, key, limit)
}

func (s *Store) changes(ctx context.Context, what, where string, args ...any) (all []Change, err error) {
	rows, err := s.db.Query(ctx, "SELECT seq, stream_id, key, data, emitted_at FROM records WHERE "+where, args...)
	if err != nil {
		return nil, s.db.Fail(what, err)
	}
	defer func() { err = errors.Join(err, s.db.Fail(what, errors.Join(rows.Err(), rows.Close()))) }()
	for rows.Next() {
		var c Change
		if err := rows.Scan(&c.Seq, &c.StreamID, &c.Key, &c.Data, &c.EmittedAt); err != nil {
			return nil, s.db.Fail(what, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// eachChunk is how many records ReadEach reads at once.
const eachChunk = 1000

// ReadEach calls fn with the key and the data of each live record of a stream, by key. Those
// that change meanwhile come as they were or as they are. The data is good until fn returns.
func (s *Store) ReadEach(ctx context.Context, streamID int64, fn func(key string, data []byte) error) error {
	for after := ""; ; {
		n, err := s.chunk(ctx, streamID, &after, fn)
		if err != nil || n < eachChunk {
			return err
		}
	}
}

func (s *Store) chunk(ctx context.Context, streamID int64, after *string, fn func(key string, data []byte) error) (n int, err error) {
	rows, err := s.db.Read.QueryContext(ctx, "SELECT key, CASE WHEN deleted = 0 THEN data END FROM records WHERE stream_id = ? AND key > ? ORDER BY key LIMIT ?", streamID, *after, eachChunk)
	if err != nil {
		return 0, s.db.Fail("read the records", err)
	}
	defer func() { err = errors.Join(err, s.db.Fail("read the records", errors.Join(rows.Err(), rows.Close()))) }()
	for ; rows.Next(); n++ {
		var data sql.RawBytes
		if err := rows.Scan(after, &data); err != nil {
			return n, s.db.Fail("read the records", err)
		}
		if data == nil {
			continue
		}
		if err := fn(*after, data); err != nil {
			return n, err
		}
	}
	return n, nil
}
