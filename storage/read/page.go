package read

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Place is a record's place in its stream's order.
type Place struct {
	Sort []byte
	Key  string
}

// Row is a record at its place. Seq is 0 when the record is gone, and only the place is told.
type Row struct {
	Place

	StreamID  int64
	Seq       int64
	Data      []byte
	EmittedAt string
	RunID     string // the run that changed it last; "" when that is older than the history

	Indexed int64    // the change up to which the read state knows it, where that was asked for
	History *History // as the read state has it; nil: it was not asked for, or has none
}

// PageQuery is a part of a stream's order.
type PageQuery struct {
	StreamID   int64
	Descending bool
	After      *Place   // begin behind this one; nil: at the beginning
	AtPlace    bool     // begin at After, and not behind it
	From, To   []byte   // bounds of what is ordered by, the first included and the second not; nil: none
	Keys       []string // only records with one of them; nil: every one
	Limit      int
	Bytes      int // of the rows together, but for the last of them
}

type readRow struct {
	Sort      []byte
	Key       string
	Seq       int64
	Data      *string
	EmittedAt string
	RunID     string

	Indexed, BornSeq, BornUs, SinceSeq int64
	Time, Fields                       []byte
}

func (r *readRow) public(streamID int64) Row {
	out := Row{Place: Place{r.Sort, r.Key}, StreamID: streamID, Seq: r.Seq, EmittedAt: r.EmittedAt, RunID: r.RunID}
	if r.Data != nil {
		out.Data = []byte(*r.Data)
	}
	if out.Indexed = r.Indexed; r.Indexed > 0 {
		out.History = &History{Born: r.BornSeq, BornUS: r.BornUs, Since: r.SinceSeq, Time: r.Time}
		out.History.unpack(r.Fields)
	}
	return out
}

// indexedColumns are those of a record's row i in the read state.
const indexedColumns = `, coalesce(i.seq, 0) AS indexed, coalesce(i.born_seq, 0) AS born_seq, coalesce(i.born_us, 0) AS born_us,
coalesce(i.since_seq, 0) AS since_seq, i.time, i.fields`

const rowColumns = `coalesce(r.seq, 0) AS seq, r.data, coalesce(r.emitted_at, '') AS emitted_at, coalesce(u.run_id, '') AS run_id`

// rowsOf scans rows until they have so many bytes. cut: there are others.
func rowsOf[T any](ctx context.Context, db *bun.DB, bytes int, size func(*T) int, query string, args ...any) (all []T, cut bool, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if cut = bytes <= 0 && len(all) > 0; cut {
			return all, true, nil
		}
		var row T
		if err := db.ScanRow(ctx, rows, &row); err != nil {
			return nil, false, err
		}
		bytes -= size(&row)
		all = append(all, row)
	}
	return all, false, rows.Err()
}

// size is about how much memory a row takes.
func (r *readRow) size() int {
	n := len(r.Sort) + len(r.Key) + len(r.Time) + len(r.Fields)
	if r.Data != nil {
		n += len(*r.Data)
	}
	return n
}

// ReadPage returns records of a stream in its order. more: there may be others behind them.
func (s *Store) ReadPage(ctx context.Context, q PageQuery) (out []Row, more bool, err error) {
	text, args := "SELECT sort, key FROM read_order WHERE stream_id = ?", []any{q.StreamID}
	if q.Keys != nil {
		text, args = "SELECT sort, key FROM read_rows WHERE stream_id = ? AND key IN (?)", append(args, bun.List(q.Keys))
	}
	where := func(condition string, values ...any) { text, args = text+" AND "+condition, append(args, values...) }
	behind, direction := ">", ""
	if q.Descending {
		behind, direction = "<", " DESC"
	}
	if q.AtPlace {
		behind += "="
	}
	if q.After != nil {
		where("(sort, key) "+behind+" (?, ?)", q.After.Sort, q.After.Key)
	}
	if q.From != nil {
		where("sort >= ?", q.From)
	}
	if q.To != nil {
		where("sort < ?", q.To)
	}
	text += " ORDER BY sort" + direction + ", key" + direction + " LIMIT ?"
	// The order is asked for twice: a join need not keep it.
	text = "SELECT o.sort, o.key, " + rowColumns + indexedColumns + " FROM (" + text + ") AS o LEFT JOIN records AS r ON r.stream_id = ? AND r.key = o.key AND r.deleted = 0 " +
		"LEFT JOIN read_rows AS i ON i.stream_id = r.stream_id AND i.key = r.key LEFT JOIN runs AS u ON u.pk = r.run_pk ORDER BY o.sort" + direction + ", o.key" + direction
	rows, cut, err := rowsOf(ctx, s.db.Read, q.Bytes, (*readRow).size, text, append(args, q.Limit, q.StreamID)...)
	if err != nil {
		return nil, false, s.db.Fail("read a page", err)
	}
	out = make([]Row, len(rows))
	for i := range rows {
		out[i] = rows[i].public(q.StreamID)
	}
	return out, cut || len(rows) == q.Limit, nil
}

// ReadRecord returns the record of a stream with a key, or record.unknown. A tombstone has
// no data.
func (s *Store) ReadRecord(ctx context.Context, streamID int64, key string) (*Row, error) {
	rows, _, err := s.ReadRecords(ctx, streamID, []string{key}, 0)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, abi.NewError(abi.CodeRecordUnknown, "the stream has no record with that key", "`pdpp-host records list` shows the keys there are")
	}
	return &rows[0], nil
}

// ReadRecords returns records of a stream that have one of the keys, until they have so many
// bytes. more: there may be others. A tombstone has no data.
func (s *Store) ReadRecords(ctx context.Context, streamID int64, keys []string, bytes int) (out []Row, more bool, err error) {
	rows, more, err := rowsOf(ctx, s.db.Read, bytes, (*readRow).size, "SELECT r.key, "+rowColumns+indexedColumns+" FROM records AS r LEFT JOIN read_rows AS i ON i.stream_id = r.stream_id AND i.key = r.key "+
		"LEFT JOIN runs AS u ON u.pk = r.run_pk WHERE r.stream_id = ? AND r.key IN (?)", streamID, bun.List(keys))
	out = make([]Row, len(rows))
	for i := range rows {
		out[i] = rows[i].public(streamID)
	}
	return out, more, s.db.Fail("read the records", err)
}

// ReadKeysWithin returns the keys of those records of a stream whose own time is from one
// until another, as it compares, no more than a limit: the newest first.
func (s *Store) ReadKeysWithin(ctx context.Context, streamID int64, from, to []byte, limit int) (keys []string, err error) {
	err = s.db.Read.NewRaw("SELECT key FROM read_rows WHERE stream_id = ? AND time >= ? AND time < ? ORDER BY time DESC, key DESC LIMIT ?", streamID, from, to, limit).Scan(ctx, &keys)
	return keys, s.db.Fail("read the keys", err)
}

// Day counts the records of a stream of one day.
type Day struct {
	StreamID int64
	Day      int64 // since 1970, UTC
	Records  int64
}

// ReadDays returns how many records streams have on the days from a first to a last one, by
// day. nil: of all streams.
func (s *Store) ReadDays(ctx context.Context, streams []int64, first, last int64) (days []Day, err error) {
	text, args := "SELECT stream_id, day, records FROM read_days WHERE day BETWEEN ? AND ?", []any{first, last}
	if streams != nil {
		text, args = text+" AND stream_id IN (?)", append(args, inList(streams))
	}
	err = s.db.Read.NewRaw(text+" ORDER BY day, stream_id", args...).Scan(ctx, &days)
	return days, s.db.Fail("read the days", err)
}

// Span is the first and the last day of a stream's records.
type Span struct {
	StreamID    int64
	First, Last int64 // since 1970, UTC
}

// ReadSpans returns the spans of streams, those without a record aside. nil: of all.
func (s *Store) ReadSpans(ctx context.Context, streams []int64) (spans []Span, err error) {
	text, args := `SELECT stream_id, min(day) AS "first", max(day) AS "last" FROM read_days WHERE day > ?`, []any{NoDay}
	if streams != nil {
		text, args = text+" AND stream_id IN (?)", append(args, inList(streams))
	}
	err = s.db.Read.NewRaw(text+" GROUP BY stream_id", args...).Scan(ctx, &spans)
	return spans, s.db.Fail("read the days", err)
}

func inList(ids []int64) schema.QueryAppender { return bun.List(ids) }
