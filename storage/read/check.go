package read

import (
	"context"
	"strings"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// These find the streams whose read state differs from their records. A record that changed since it
// was indexed is no difference, and a removed stream, of which a part may be gone, is not looked at.
const (
	unlikeRows = `SELECT r.stream_id FROM records r LEFT JOIN read_rows i ON i.stream_id = r.stream_id AND i.key = r.key
WHERE r.seq <= (SELECT indexed_seq FROM read_position) AND (r.deleted = 1 AND i.seq IS NOT NULL OR r.deleted = 0 AND (i.seq IS NULL OR i.seq <> r.seq))
UNION SELECT i.stream_id FROM read_rows i LEFT JOIN records r ON r.stream_id = i.stream_id AND r.key = i.key WHERE r.seq IS NULL`
	unlikeOrder = `SELECT i.stream_id FROM read_rows i LEFT JOIN read_order o ON o.stream_id = i.stream_id AND o.sort = i.sort AND o.key = i.key WHERE o.key IS NULL
UNION SELECT o.stream_id FROM read_order o LEFT JOIN read_rows i ON i.stream_id = o.stream_id AND i.key = o.key AND i.sort = o.sort WHERE i.key IS NULL`
	unlikeDays = `SELECT coalesce(a.stream_id, b.stream_id) AS stream_id FROM (SELECT stream_id, day, count(*) AS records FROM read_rows GROUP BY stream_id, day) a
FULL JOIN read_days b ON b.stream_id = a.stream_id AND b.day = a.day WHERE a.records IS NULL OR b.records IS NULL OR a.records <> b.records`
	unlikeChanges = `SELECT i.stream_id FROM read_rows i LEFT JOIN read_changes c ON c.stream_id = i.stream_id AND c.seq = i.born_seq
WHERE i.born_seq > 0 AND (c.key IS NULL OR c.key <> i.key)
UNION SELECT c.stream_id FROM read_changes c LEFT JOIN read_rows i ON i.stream_id = c.stream_id AND i.key = c.key WHERE i.key IS NULL OR c.seq < i.born_seq OR c.seq > i.seq`
	unlikeLinks = `SELECT k.stream_id FROM read_links k LEFT JOIN read_rows i ON i.stream_id = k.stream_id AND i.key = k.key AND i.sort = k.sort WHERE i.key IS NULL`
)

// unlikeCount finds the streams of which a record has another number of references of a kind than
// read_rows says.
func unlikeCount(kind string) string {
	return strings.ReplaceAll(`SELECT coalesce(i.stream_id, b.stream_id) AS stream_id FROM (SELECT stream_id, key, KIND FROM read_rows WHERE KIND > 0) i
FULL JOIN (SELECT stream_id, key, count(*) AS KIND FROM read_KIND GROUP BY stream_id, key) b ON b.stream_id = i.stream_id AND b.key = i.key
WHERE i.KIND IS NULL OR b.KIND IS NULL OR i.KIND <> b.KIND`, "KIND", kind)
}

// CheckRead returns the streams whose read state is not what their records say, and whether
// that of all is unusable. It reads all of it.
func (s *Store) CheckRead(ctx context.Context) (streams []int64, all bool, err error) {
	at, err := s.Position(ctx)
	if err != nil || at.Top() > at.Last {
		return nil, err == nil, err
	}
	var words int64
	docs := "SELECT count(*) FROM read_fts"
	if !s.db.IsServer() {
		docs = "SELECT count(*) FROM read_fts_docsize" // its own table of documents
	}
	err = s.db.Read.QueryRowContext(ctx, "SELECT ("+docs+") - (SELECT coalesce(sum(docs), 0) FROM read_rows)").Scan(&words)
	if err != nil || words != 0 {
		return nil, err == nil, s.db.Fail("check the index", err)
	}
	err = s.db.Read.NewRaw("SELECT DISTINCT stream_id FROM ("+unlikeRows+" UNION "+unlikeOrder+" UNION "+unlikeDays+" UNION "+unlikeChanges+" UNION "+unlikeCount("blobs")+" UNION "+unlikeCount("links")+" UNION "+unlikeLinks+") AS d WHERE stream_id NOT IN (SELECT id FROM streams WHERE removed = 1) ORDER BY 1").Scan(ctx, &streams)
	return streams, false, s.db.Fail("check the index", err)
}

// anew begins the read state again, with another epoch.
const anew = `INSERT INTO read_position (id, indexed_seq, epoch) VALUES (1, 0, 1)
ON CONFLICT (id) DO UPDATE SET indexed_seq = 0, ahead = '', epoch = read_position.epoch + 1`

// ResetRead empties the read state; it is made again from the records.
func (s *Store) ResetRead(ctx context.Context) error {
	return s.db.Alone(ctx, "empty the index", func(t *db.Tx) error {
		words := "DELETE FROM read_fts"
		if t.Server() == nil {
			words = "INSERT INTO read_fts (read_fts) VALUES ('delete-all')"
		}
		for _, q := range []string{words, "DELETE FROM read_rows", "DELETE FROM read_order", "DELETE FROM read_blobs", "DELETE FROM read_links", "DELETE FROM read_days", "DELETE FROM read_changes", "DELETE FROM read_past", "DELETE FROM read_streams", anew} {
			if _, err := t.DB.ExecContext(t.Ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
}
