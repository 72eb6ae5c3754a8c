package read

import (
	"context"
)

// Change is a record or tombstone on its way into the read state.
type Change struct {
	Seq       int64
	StreamID  int64
	Key       string
	Data      *string // nil: a tombstone
	EmittedAt string
}

// Position is how far the read state is.
type Position struct {
	Indexed int64 // every change up to this one is in it
	Last    int64 // the store's last change
	Epoch   int64 // another one each time that the read state was emptied
}

// Position returns how far the read state is.
func (s *Store) Position(ctx context.Context) (p Position, err error) {
	// In this order: what is indexed is never ahead of what it is compared with.
	err = s.db.Read.QueryRowContext(ctx, `SELECT coalesce((SELECT indexed_seq FROM read_position), 0), (SELECT value FROM counters WHERE name = 'change'),
coalesce((SELECT epoch FROM read_position), 0)`).Scan(&p.Indexed, &p.Last, &p.Epoch)
	return p, s.db.Fail("read the position of the index", err)
}

// ChangesAfter returns the next changes behind one, in their order.
func (s *Store) ChangesAfter(ctx context.Context, seq int64, limit int) (all []Change, err error) {
	err = s.db.Read.NewRaw("SELECT seq, stream_id, key, data, emitted_at FROM records WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit).Scan(ctx, &all)
	return all, s.db.Fail("read the changes", err)
}

// RecordsAfter returns the next records and tombstones of a stream behind a key, by key.
func (s *Store) RecordsAfter(ctx context.Context, streamID int64, key string, limit int) (all []Change, err error) {
	err = s.db.Read.NewRaw("SELECT seq, stream_id, key, data, emitted_at FROM records WHERE stream_id = ? AND key > ? ORDER BY key LIMIT ?", streamID, key, limit).
		Scan(ctx, &all)
	return all, s.db.Fail("read the records", err)
}
