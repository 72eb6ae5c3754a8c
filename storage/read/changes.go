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

// ReadEachWithin is ReadEach for the records whose own time is within a span, by that time and their keys. It reads no other
// record, and finds them as they were indexed.
func (s *Store) ReadEachWithin(ctx context.Context, streamID int64, within Times, fn func(key string, data []byte) error) error {
	const text = `SELECT o.time, o.key, r.data FROM (SELECT time, key FROM read_rows WHERE stream_id = ? AND time >= ? AND time < ? AND (time, key) > (?, ?)
ORDER BY time, key LIMIT ?) AS o LEFT JOIN records AS r ON r.stream_id = ? AND r.key = o.key AND r.deleted = 0 ORDER BY o.time, o.key`
	at, after := within.From, ""
	chunk := func() (n int, err error) {
		rows, err := s.db.Query(ctx, text, streamID, within.From, within.To, at, after, eachChunk, streamID)
		if err != nil {
			return 0, s.db.Fail("read the records", err)
		}
		defer func() { err = errors.Join(err, s.db.Fail("read the records", errors.Join(rows.Err(), rows.Close()))) }()
		for ; rows.Next(); n++ {
			var data sql.RawBytes
			if err := rows.Scan(&at, &after, &data); err != nil {
				return n, s.db.Fail("read the records", err)
			}
			if data == nil { // it is gone meanwhile
				continue
			}
			if err := fn(after, data); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	for {
		if n, err := chunk(); err != nil || n < eachChunk {
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
