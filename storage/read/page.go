package read

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Emitted    bool // by when they were emitted instead
	Descending bool
	After      *Place   // begin behind this one; nil: at the beginning
	AtPlace    bool     // begin at After, and not behind it
	From, To   []byte   // bounds of what is ordered by, the first included and the second not; nil: none
	Keys       []string // only records with one of them; nil: every one
	Within     *Times   // only records whose own time is within it; nil: of any time
	Limit      int
	Bytes      int // of the rows together, but for the last of them
}

// Times are a span of records' own times, as they compare: from the first, which is included, until the last, which is not.
type Times struct{ From, To []byte }

// scanned is what each row is scanned into: the columns of a record, and of its row in the read state.
type scanned struct {
	Row

	history History
	fields  sql.RawBytes
}

// mostColumns is how many a row has.
const mostColumns = 12

// record is where rowColumns go.
func (r *scanned) record(first ...any) []any {
	return append(append(make([]any, 0, mostColumns), first...), &r.Seq, &r.Data, &r.EmittedAt, &r.RunID)
}

// indexed is where rowColumns and indexedColumns go.
func (r *scanned) indexed(first ...any) []any {
	h := &r.history
	return append(r.record(first...), &r.Indexed, &h.Born, &h.BornUS, &h.Since, &h.Time, &r.fields)
}

// row is what was scanned, until the next is.
func (r *scanned) row() *Row {
	r.History = nil
	if r.Indexed > 0 {
		h := r.history
		h.unpack(r.fields)
		r.History = &h
	}
	return &r.Row
}

// indexedColumns are those of a record's row i in the read state.
const indexedColumns = `, coalesce(i.seq, 0) AS indexed, coalesce(i.born_seq, 0) AS born_seq, coalesce(i.born_us, 0) AS born_us,
coalesce(i.since_seq, 0) AS since_seq, i.time, i.fields`

const rowColumns = `coalesce(r.seq, 0) AS seq, r.data, coalesce(r.emitted_at, '') AS emitted_at, coalesce(u.run_id, '') AS run_id`

// rowsOf calls fn with rows until they have so many bytes; to says where the columns go. fn copies the
// row that it keeps. cut: there are others.
func (s *Store) rowsOf(ctx context.Context, bytes int, to func(*scanned) []any, fn func(*Row), query string, args ...any) (cut bool, err error) {
	rows, err := s.db.Query(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row := new(scanned)
	columns := to(row)
	for first := true; rows.Next(); first = false {
		if bytes <= 0 && !first {
			return true, nil
		}
		if err := rows.Scan(columns...); err != nil {
			return false, err
		}
		bytes -= row.size()
		fn(row.row())
	}
	return false, rows.Err()
}

// size is about how much memory a row takes.
func (r *scanned) size() int {
	return len(r.Sort) + len(r.Key) + len(r.Data) + len(r.history.Time) + len(r.fields)
}

// ReadPage returns records of a stream in its order. more: there may be others behind them.
func (s *Store) ReadPage(ctx context.Context, q PageQuery) (out []Row, more bool, err error) {
	from, by, where, args := "read_order", "o.sort", " WHERE o.stream_id = ?", []any{q.StreamID}
	and := func(condition string, values ...any) { where, args = where+" AND "+condition, append(args, values...) }
	if q.Keys != nil {
		from = "read_rows"
		and("o.key IN (?)", q.Keys)
	}
	if q.Within != nil { // by the index of times: how long it takes depends on no record outside of it
		from = "read_rows"
		and("o.time >= ? AND o.time < ?", q.Within.From, q.Within.To)
	}
	if q.Emitted {
		from, by = "read_rows", "o.emitted"
	}
	behind, direction := ">", ""
	if q.Descending {
		behind, direction = "<", " DESC"
	}
	if q.AtPlace {
		behind += "="
	}
	if q.After != nil {
		and("("+by+", o.key) "+behind+" (?, ?)", q.After.Sort, q.After.Key)
	}
	if q.From != nil {
		and(by+" >= ?", q.From)
	}
	if q.To != nil {
		and(by+" < ?", q.To)
	}
	order := func(by string) string { return " ORDER BY " + by + direction + ", o.key" + direction }
	const columns = ", o.key, " + rowColumns + indexedColumns + " FROM "
	args = append(args, q.Limit)
	if q.Keys == nil && q.Within == nil && !s.db.IsServer() {
		// The join goes through the order row by row, and to each record by the number that it was indexed with.
		const joins = " AS o LEFT JOIN read_rows AS i ON i.stream_id = o.stream_id AND i.key = o.key " +
			"LEFT JOIN records AS r ON r.seq = i.seq AND +r.stream_id = o.stream_id AND +r.key = o.key AND r.deleted = 0 LEFT JOIN runs AS u ON u.pk = r.run_pk"
		out, more, err = s.page(ctx, &q, "SELECT "+by+columns+from+joins+where+order(by)+" LIMIT ?", args)
		if err != nil || !slices.ContainsFunc(out, func(r Row) bool { return r.Seq == 0 }) {
			return out, more, err
		} // else one has changed since
	}
	// The order is asked for twice: a join need not keep it.
	const joins = " AS o LEFT JOIN records AS r ON r.stream_id = o.stream_id AND r.key = o.key AND r.deleted = 0 " +
		"LEFT JOIN read_rows AS i ON i.stream_id = r.stream_id AND i.key = r.key LEFT JOIN runs AS u ON u.pk = r.run_pk"
	return s.page(ctx, &q, "SELECT o.sort"+columns+"(SELECT o.stream_id, "+by+" AS sort, o.key FROM "+from+" AS o"+where+order(by)+" LIMIT ?)"+joins+order("o.sort"), args)
}

// page asks for the page of a query by its text.
func (s *Store) page(ctx context.Context, q *PageQuery, text string, args []any) (out []Row, more bool, err error) {
	out = make([]Row, 0, q.Limit)
	cut, err := s.rowsOf(ctx, q.Bytes, func(r *scanned) []any { return r.indexed(&r.Sort, &r.Key) }, func(r *Row) {
		r.StreamID = q.StreamID
		out = append(out, *r)
	}, text, args...)
	if err != nil {
		return nil, false, s.db.Fail("read a page", err)
	}
	return out, cut || len(out) == q.Limit, nil
}

// ReadRecord returns the record of a stream with a key, or record.unknown. A tombstone has
// no data. Data of more bytes than longest is left empty, for ReadData; 0: none is.
func (s *Store) ReadRecord(ctx context.Context, streamID int64, key string, longest int) (*Row, error) {
	columns := rowColumns
	if longest > 0 {
		columns = strings.Replace(rowColumns, "r.data", fmt.Sprintf("CASE WHEN octet_length(r.data) > %d THEN '' ELSE r.data END AS data", longest), 1)
	}
	rows, _, err := s.records(ctx, columns, streamID, []string{key}, 0)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, recordUnknown()
	}
	return &rows[0], nil
}

func recordUnknown() error {
	return abi.NewError(abi.CodeRecordUnknown, "the stream has no record with that key", "`pdpp-host records list` shows the keys there are")
}

// ReadRecords returns records of a stream that have one of the keys, until they have so many
// bytes. more: there may be others. A tombstone has no data.
func (s *Store) ReadRecords(ctx context.Context, streamID int64, keys []string, bytes int) (out []Row, more bool, err error) {
	return s.records(ctx, rowColumns, streamID, keys, bytes)
}

func (s *Store) records(ctx context.Context, columns string, streamID int64, keys []string, bytes int) (out []Row, more bool, err error) {
	more, err = s.rowsOf(ctx, bytes, func(r *scanned) []any { return r.indexed(&r.Key) }, func(r *Row) {
		r.StreamID = streamID
		out = append(out, *r)
	}, "SELECT r.key, "+columns+indexedColumns+" FROM records AS r LEFT JOIN read_rows AS i ON i.stream_id = r.stream_id AND i.key = r.key "+
		"LEFT JOIN runs AS u ON u.pk = r.run_pk WHERE r.stream_id = ? AND r.key IN (?)", streamID, keys)
	return out, more, s.db.Fail("read the records", err)
}

// A record's number changes with its data.
const (
	dataInFile = "SELECT CAST(data AS BLOB) AS value FROM records WHERE stream_id = ? AND seq = ? AND data IS NOT NULL"
	// Rows of a set come in its order. The parts are bytes: to find a character a server reads those before it.
	dataOnServer = `SELECT substr(whole, part, 65536) AS value FROM (SELECT whole, generate_series(1, octet_length(whole), 65536) AS part
FROM (SELECT convert_to(data, 'UTF8') AS whole FROM records WHERE stream_id = $1[1] AND seq = $1[2] AND data IS NOT NULL OFFSET 0) AS r) AS p`
)

// ReadData calls fn with the data of a record, in parts, as they were when that was its number; record.unknown: it has
// changed since. fn keeps none of them, and asks the store for nothing.
func (s *Store) ReadData(ctx context.Context, streamID, seq int64, fn func(part []byte)) error {
	text := dataInFile
	if s.db.IsServer() {
		text = dataOnServer
	}
	found, err := s.db.Lend(ctx, text, fn, streamID, seq)
	if err == nil && !found {
		return recordUnknown()
	}
	return s.db.Fail("read a record", err)
}

// ReadTime returns the own time of a record, as it compares, without the record; nil: it has none,
// or there is no such record.
func (s *Store) ReadTime(ctx context.Context, streamID int64, key string) (at []byte, err error) {
	err = s.db.QueryRow(ctx, "SELECT time FROM read_rows WHERE stream_id = ? AND key = ?", []any{streamID, key}, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return at, s.db.Fail("read the time of a record", err)
}

// ReadKeysWithin returns the keys of those records of a stream whose own time is from one
// until another, as it compares, no more than a limit: the newest first when descending.
func (s *Store) ReadKeysWithin(ctx context.Context, streamID int64, from, to []byte, descending bool, limit int) (keys []string, err error) {
	order := "time, key"
	if descending {
		order = "time DESC, key DESC"
	}
	err = s.db.Read.NewRaw("SELECT key FROM read_rows WHERE stream_id = ? AND time >= ? AND time < ? ORDER BY "+order+" LIMIT ?", streamID, from, to, limit).Scan(ctx, &keys)
	return keys, s.db.Fail("read the keys", err)
}

// CountWithin counts the records that ReadKeysWithin returns without a limit.
func (s *Store) CountWithin(ctx context.Context, streamID int64, from, to []byte) (total int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM read_rows WHERE stream_id = ? AND time >= ? AND time < ?", streamID, from, to).Scan(&total)
	return total, s.db.Fail("count the records", err)
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
