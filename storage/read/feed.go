package read

import (
	"context"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// FeedRow is a change of a stream's feed, with its record as the read state has it.
// Indexed is 0 when the record is gone there.
type FeedRow struct {
	Row

	At int64
}

// ReadFeed returns the changes of a stream behind one, in their order: those that a part of
// a live record dates from, and those with which a record went or got another time. They
// have so many bytes together, but for the last of them. more: there may be others behind.
func (s *Store) ReadFeed(ctx context.Context, streamID, after int64, limit, bytes int) (out []FeedRow, more bool, err error) {
	const text = `SELECT c.at, c.key, ` + rowColumns + indexedColumns + ` FROM (
SELECT at, key FROM (SELECT seq AS at, key FROM read_changes WHERE stream_id = ? AND seq > ? ORDER BY seq LIMIT ?) AS a
UNION SELECT at, key FROM (SELECT until_seq AS at, key FROM read_past WHERE stream_id = ? AND until_seq > ? ORDER BY until_seq LIMIT ?) AS b ORDER BY at LIMIT ?) AS c
LEFT JOIN read_rows AS i ON i.stream_id = ? AND i.key = c.key LEFT JOIN records AS r ON r.stream_id = ? AND r.key = c.key LEFT JOIN runs AS u ON u.pk = r.run_pk ORDER BY c.at`
	var at int64
	cut, err := s.rowsOf(ctx, bytes, func(r *scanned) []any { return r.indexed(&at, &r.Key) }, func(r *Row) {
		r.StreamID = streamID
		out = append(out, FeedRow{*r, at})
	}, text, streamID, after, limit, streamID, after, limit, limit, streamID, streamID)
	if err != nil {
		return nil, false, s.db.Fail("read the changes", err)
	}
	return out, cut || len(out) == limit, nil
}

// ReadNextChange returns the first change of a stream's feed behind one; 0: there is none.
func (s *Store) ReadNextChange(ctx context.Context, streamID, after int64) (at int64, err error) {
	err = s.db.QueryRow(ctx, `SELECT coalesce(min(at), 0) FROM (SELECT min(seq) AS at FROM read_changes WHERE stream_id = ? AND seq > ?
UNION ALL SELECT min(until_seq) AS at FROM read_past WHERE stream_id = ? AND until_seq > ?) AS c`, []any{streamID, after, streamID, after}, &at)
	return at, s.db.Fail("read the changes", err)
}

// ReadPast returns the spans that records with some keys have behind them, by key and in
// their order.
func (s *Store) ReadPast(ctx context.Context, streamID int64, keys []string) (_ map[string][]Past, err error) {
	all := make(map[string][]Past, len(keys))
	rows, err := s.db.Query(ctx, "SELECT key, from_seq, until_seq, until_us, time FROM read_past WHERE stream_id = ? AND key IN (?) ORDER BY key, until_seq", streamID, keys)
	if err != nil {
		return nil, s.db.Fail("read the changes", err)
	}
	defer func() { err = errors.Join(err, s.db.Fail("read the changes", errors.Join(rows.Err(), rows.Close()))) }()
	for rows.Next() {
		var p Past
		if err := rows.Scan(&p.Key, &p.From, &p.Until, &p.UntilUS, &p.Time); err != nil {
			return nil, s.db.Fail("read the changes", err)
		}
		all[p.Key] = append(all[p.Key], p)
	}
	return all, nil
}

// PrunePast removes at most limit of the spans that were noted longer ago than that: nobody
// asks for changes since then. more: there are others.
func (s *Store) PrunePast(ctx context.Context, age time.Duration, limit int) (more bool, err error) {
	err = s.db.Alone(ctx, "remove old changes", func(t *db.Tx) error {
		done, err := t.DB.ExecContext(t.Ctx, `DELETE FROM read_past WHERE (stream_id, until_seq) IN
(SELECT stream_id, until_seq FROM read_past WHERE indexed_us < ? ORDER BY indexed_us LIMIT ?)`, t.Now.Add(-age).UnixMicro(), limit)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		more = n == int64(limit)
		return err
	})
	return more, err
}
