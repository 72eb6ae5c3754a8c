package device

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// StatePart says which cursors of a source are asked for. The zero value is all of
// them.
type StatePart struct {
	Streams []string // these alone; nil: of every stream
	After   string   // those of the streams behind it, in the order of their names
	Most    int      // bytes; 0: unbounded. One cursor comes however large it is
}

// DeviceState returns cursors that are committed of a source, by stream, what the
// next part is after, "" when there is none, and when the last of all its cursors
// was committed; zero: never.
func (s *Store) DeviceState(ctx context.Context, src *SourceInstance, part StatePart) (state map[string][]byte, next string, updatedAt time.Time, err error) {
	const what = "read the cursors"
	var last int64
	const newest = "SELECT coalesce(max(committed_us), 0) FROM states WHERE connection_id = ? AND bookmark = ?"
	if err := s.db.Read.QueryRowContext(ctx, newest, src.ConnectionID, tables.BookmarkIncremental).Scan(&last); err != nil {
		return nil, "", time.Time{}, s.db.Fail(what, err)
	}
	q := s.db.Read.NewSelect().Model((*tables.StateRow)(nil)).Column("stream", "cursor").
		Where("connection_id = ? AND bookmark = ? AND stream > ?", src.ConnectionID, tables.BookmarkIncremental, part.After).Order("stream")
	if part.Streams != nil {
		q = q.Where("stream IN (?)", bun.List(part.Streams))
	}
	if state, next, err = readPart(ctx, q, part.Most); err != nil {
		return nil, "", time.Time{}, s.db.Fail(what, err)
	}
	return state, next, db.Time(last), nil
}

// readPart reads cursors until there are as many bytes of them as are asked for, so
// that no more are ever held.
func readPart(ctx context.Context, q *bun.SelectQuery, most int) (state map[string][]byte, next string, err error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = rows.Close() }()
	state = map[string][]byte{}
	held, last := 0, ""
	for rows.Next() {
		var stream string
		var cursor []byte
		if err := rows.Scan(&stream, &cursor); err != nil {
			return nil, "", err
		}
		if held += len(cursor); most > 0 && held > most && len(state) > 0 {
			return state, last, nil
		}
		state[stream], last = cursor, stream
	}
	return state, "", rows.Err()
}
