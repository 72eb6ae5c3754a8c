package run

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Checkpoint is a committed cursor, or with Staged a durable one that is not
// committed yet. Cursor is JSON.
type Checkpoint struct {
	Stream   string
	Bookmark string
	Cursor   []byte
	SliceID  string // "" when the end of a run committed it
	RunID    string
	Seq      int64 // the store's change sequence when it was committed
	At       time.Time
	Staged   bool
}

// Checkpoints returns a connection's cursors: the committed ones, then what its
// current run has staged, each by stream and bookmark.
func (s *Store) Checkpoints(ctx context.Context, connection string) ([]Checkpoint, error) {
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail("read the checkpoints", err)
	}
	var rows []tables.StateRow
	err = s.db.Read.NewSelect().Model(&rows).Where("connection_id = ?", c.ID).Order("stream", "bookmark").Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the checkpoints", err)
	}
	out := make([]Checkpoint, 0, len(rows))
	for _, r := range rows {
		out = append(out, Checkpoint{
			Stream: r.Stream, Bookmark: r.Bookmark, Cursor: []byte(r.Cursor), SliceID: r.SliceID, RunID: r.RunID,
			Seq: r.Seq, At: db.Time(r.CommittedUS),
		})
	}
	var staged []struct {
		Stream, Bookmark, Cursor, SliceID, RunID string
		StagedUS                                 int64
	}
	err = s.db.Read.NewRaw(`SELECT st.stream, r.bookmark, st.cursor, st.slice_id, r.run_id, st.staged_us
FROM staged_states st JOIN runs r ON r.pk = st.run_pk WHERE r.connection_id = ? ORDER BY st.stream, r.bookmark`, c.ID).Scan(ctx, &staged)
	for _, r := range staged {
		out = append(out, Checkpoint{
			Stream: r.Stream, Bookmark: r.Bookmark, Cursor: []byte(r.Cursor), SliceID: r.SliceID, RunID: r.RunID,
			At: db.Time(r.StagedUS), Staged: true,
		})
	}
	return out, s.db.Fail("read the checkpoints", err)
}

// StreamInfo counts a stream's records.
type StreamInfo struct {
	Name    string
	Live    int64
	Deleted int64 // tombstones
	LastSeq int64 // of the stream's newest change
}

// Streams returns a connection's streams, by name. The counts are kept while
// records are written; nothing is scanned.
func (s *Store) Streams(ctx context.Context, connection string) ([]StreamInfo, error) {
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail("read the streams", err)
	}
	var rows []tables.StreamRow
	err = s.db.Read.NewSelect().Model(&rows).Where("connection_id = ? AND removed = 0", c.ID).Order("name").Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the streams", err)
	}
	out := make([]StreamInfo, 0, len(rows))
	for _, r := range rows {
		out = append(out, StreamInfo{Name: r.Name, Live: r.Live, Deleted: r.Deleted, LastSeq: r.LastSeq})
	}
	return out, nil
}
