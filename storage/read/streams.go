package read

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Stream is a stream as its readers see it.
type Stream struct {
	ID           int64
	ConnectionID string
	Connection   string // its name
	Connector    string
	Name         string
	Live         int64
	Deleted      int64
	LastSeq      int64  // of its last change
	Module       string // the accepted module's hash; "": none is accepted

	// Of the read state. Module and Declaration say what it was made by; "": there is none.
	IndexedModule string
	Declaration   string
	Generation    int64
	Building      bool   // it is being made anew
	After         string // behind this key
}

// StreamQuery chooses streams. Its zero value chooses all of them.
type StreamQuery struct {
	Connections []string // by id; nil: any
	Name        string   // "": any
	IDs         []int64  // nil: any
	Unfit       bool     // only those that are being made anew, or were made by another module
}

const streamColumns = `SELECT s.id, s.connection_id, c.name AS connection, c.connector, s.name, s.live, s.deleted, s.last_seq, c.pinned_sha256 AS module,
coalesce(r.module_sha256, '') AS indexed_module, coalesce(r.declaration_sha256, '') AS declaration, coalesce(r.generation, 0) AS generation,
CASE WHEN r.building_after IS NULL THEN 0 ELSE 1 END AS building, coalesce(r.building_after, '') AS after
FROM streams s JOIN connections c ON c.id = s.connection_id LEFT JOIN read_streams r ON r.stream_id = s.id WHERE s.removed = 0`

// ReadStreams returns the streams that q chooses, by the names of connection and stream.
func (s *Store) ReadStreams(ctx context.Context, q StreamQuery) (out []Stream, err error) {
	text, args := streamColumns, []any{}
	where := func(condition string, value any) { text, args = text+" AND "+condition, append(args, value) }
	if q.Connections != nil {
		where("s.connection_id IN (?)", q.Connections)
	}
	if q.IDs != nil {
		where("s.id IN (?)", q.IDs)
	}
	if q.Name != "" {
		where("s.name = ?", q.Name)
	}
	if q.Unfit {
		text += " AND (r.stream_id IS NULL OR r.building_after IS NOT NULL OR r.module_sha256 <> c.pinned_sha256)"
	}
	rows, err := s.db.Query(ctx, text+" ORDER BY c.name, s.name", args...)
	if err != nil {
		return nil, s.db.Fail("read the streams", err)
	}
	defer func() { err = errors.Join(err, s.db.Fail("read the streams", errors.Join(rows.Err(), rows.Close()))) }()
	for rows.Next() {
		var o Stream
		if err := rows.Scan(&o.ID, &o.ConnectionID, &o.Connection, &o.Connector, &o.Name, &o.Live, &o.Deleted, &o.LastSeq, &o.Module,
			&o.IndexedModule, &o.Declaration, &o.Generation, &o.Building, &o.After); err != nil {
			return nil, s.db.Fail("read the streams", err)
		}
		out = append(out, o)
	}
	return out, nil
}

// PinnedManifest returns the accepted manifest of a connection and the hash of its module; empty:
// there is none.
func (s *Store) PinnedManifest(ctx context.Context, connectionID string) (manifest []byte, module string, err error) {
	err = s.db.Read.NewRaw("SELECT pinned_manifest, pinned_sha256 FROM connections WHERE id = ?", connectionID).Scan(ctx, &manifest, &module)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return manifest, module, s.db.Fail("read the manifest", err)
}

// Fit reports whether the read state of a stream is made by what is declared of it now.
func (s *Stream) Fit() bool { return s.Declaration != "" && s.IndexedModule == s.Module && !s.Building }

// Declared says by what declaration a stream is indexed from now on.
type Declared struct {
	StreamID            int64
	Module, Declaration string
	Anew                bool // from its first key on
}

// Declare notes declarations. A stream that is gone is left alone.
func (s *Store) Declare(ctx context.Context, all []Declared) error {
	return s.db.Alone(ctx, "index streams", func(t *db.Tx) error {
		for _, d := range all {
			var after any
			if d.Anew {
				after = ""
			}
			_, err := t.DB.ExecContext(t.Ctx, `INSERT INTO read_streams (stream_id, module_sha256, declaration_sha256, generation, building_after)
SELECT id, ?, ?, 1, ? FROM streams WHERE id = ? AND removed = 0 ON CONFLICT (stream_id) DO UPDATE SET module_sha256 = excluded.module_sha256,
declaration_sha256 = excluded.declaration_sha256, generation = read_streams.generation + CASE WHEN excluded.building_after IS NULL THEN 0 ELSE 1 END,
building_after = coalesce(excluded.building_after, read_streams.building_after)`, d.Module, d.Declaration, after, d.StreamID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Forget removes the read state of a stream: at most limit of its records, and its row with
// the last of them. more: there are others.
func Forget(t *db.Tx, streamID int64, limit int) (more bool, err error) {
	for _, some := range []string{
		"DELETE FROM read_past WHERE stream_id = ? AND until_seq IN (SELECT until_seq FROM read_past WHERE stream_id = ? LIMIT ?)",
		"DELETE FROM read_changes WHERE stream_id = ? AND seq IN (SELECT seq FROM read_changes WHERE stream_id = ? LIMIT ?)",
	} {
		done, err := t.DB.ExecContext(t.Ctx, some, streamID, streamID, limit)
		if err != nil {
			return false, err
		}
		if n, err := done.RowsAffected(); err != nil || n == int64(limit) {
			return true, err
		}
	}
	var old []indexed
	err = t.DB.NewRaw("SELECT stream_id, key, seq, sort, day, docs, blobs, links FROM read_rows WHERE stream_id = ? LIMIT ?", streamID, limit).Scan(t.Ctx, &old)
	if err != nil {
		return false, err
	}
	st := &statements{t: t}
	if err := errors.Join(st.remove(old), st.close()); err != nil {
		return false, err
	}
	if len(old) == limit {
		return true, nil
	}
	for _, q := range []string{"DELETE FROM read_order WHERE stream_id = ?", "DELETE FROM read_days WHERE stream_id = ?", "DELETE FROM read_streams WHERE stream_id = ?"} {
		if _, err := t.DB.ExecContext(t.Ctx, q, streamID); err != nil {
			return false, err
		}
	}
	return false, nil
}

// FoldWords has the words go for good that removed records left behind in a file's index. It
// writes the whole index anew.
func FoldWords(t *db.Tx) error {
	if t.Server() != nil {
		return nil // its rows went with their words
	}
	_, err := t.DB.ExecContext(t.Ctx, "INSERT INTO read_fts (read_fts) VALUES ('optimize')")
	return err
}

// indexed is a row of read_rows.
type indexed struct {
	StreamID int64
	Key      string
	Seq      int64
	Sort     []byte
	Day      int64
	Docs     int64
	Blobs    int64
	Links    int64
}

// remove removes what the read state has of some records.
func (s *statements) remove(old []indexed) error {
	for i := range old {
		if err := s.exec("DELETE FROM read_rows WHERE stream_id = ? AND key = ?", old[i].StreamID, old[i].Key); err != nil {
			return err
		}
		if err := s.exec("DELETE FROM read_order WHERE stream_id = ? AND sort = ? AND key = ?", old[i].StreamID, old[i].Sort, old[i].Key); err != nil {
			return err
		}
		if old[i].Blobs > 0 {
			if err := s.exec("DELETE FROM read_blobs WHERE stream_id = ? AND key = ?", old[i].StreamID, old[i].Key); err != nil {
				return err
			}
		}
		if old[i].Links > 0 {
			if err := s.exec("DELETE FROM read_links WHERE stream_id = ? AND key = ?", old[i].StreamID, old[i].Key); err != nil {
				return err
			}
		}
	}
	return s.removeDocs(old)
}

// removeDocs removes the documents of some records. In a file they go one at a time and in their order:
// FTS5 writes what it has in memory, as a segment of its own, before a document with a lower number
// than the last one, and before a statement that may delete several.
func (s *statements) removeDocs(old []indexed) error {
	var ids []int64
	for i := range old {
		first, last := docid(old[i].Seq, MostFields-1), docid(old[i].Seq, 0)
		switch {
		case old[i].Docs == 0:
		case s.t.Server() != nil:
			if err := s.exec("DELETE FROM read_fts WHERE docid BETWEEN ? AND ?", first, last); err != nil {
				return err
			}
		default:
			some, err := s.numbers("SELECT id FROM read_fts_docsize WHERE id BETWEEN ? AND ?", first, last)
			if err != nil {
				return err
			}
			ids = append(ids, some...)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := s.exec("DELETE FROM read_fts WHERE rowid = ?", id); err != nil {
			return err
		}
	}
	return nil
}

// LastChanges returns by stream when the record that changed last was collected, as its connector
// wrote it. If streams is nil, it returns all streams.
func (s *Store) LastChanges(ctx context.Context, streams []int64) (map[int64]string, error) {
	var rows []struct {
		ID int64
		At string
	}
	text, args := "SELECT s.id, r.emitted_at AS at FROM streams s JOIN records r ON r.seq = s.last_seq WHERE s.removed = 0", []any{}
	if streams != nil {
		text, args = text+" AND s.id IN (?)", append(args, inList(streams))
	}
	err := s.db.Read.NewRaw(text, args...).Scan(ctx, &rows)
	all := make(map[int64]string, len(rows))
	for _, r := range rows {
		all[r.ID] = r.At
	}
	return all, s.db.Fail("read the streams", err)
}
