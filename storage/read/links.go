package read

import (
	"context"
	"fmt"
	"strings"
)

// LinkQuery asks for the records of a stream that refer to some others.
type LinkQuery struct {
	StreamID int64
	Links    []int64 // what the references are found by
	Limit    int     // of the records of each
	Bytes    int     // of the records together, but for the last of them
}

// Linked is a record with the reference that it was found by.
type Linked struct {
	Row

	Link int64
}

// ReadLinked returns what q asks for, by the order of Links and then in that of the stream. cut:
// there may be others behind them. It reads as many rows as it returns, however many records
// refer to the same one.
func (s *Store) ReadLinked(ctx context.Context, q LinkQuery) (out []Linked, cut bool, err error) {
	const columns = "SELECT l.link, l.sort, l.key, " + rowColumns + " FROM "
	const joins = " records AS r ON r.stream_id = l.stream_id AND r.key = l.key AND r.deleted = 0 LEFT JOIN runs AS u ON u.pk = r.run_pk"
	// Of each reference the last place is found first, up to which the others are walked. They are put in
	// order without their records, which are read one by one: a CROSS JOIN keeps the order.
	const last = "(SELECT c.%s FROM read_links AS c WHERE c.stream_id = ? AND c.link = j.value ORDER BY c.sort, c.key LIMIT 1 OFFSET ?)"
	text := columns + "(SELECT l.stream_id, l.link, l.sort, l.key FROM (SELECT j.key AS n, j.value AS link, coalesce(" + fmt.Sprintf(last, "sort") + ", X'FFFF') AS sort, coalesce(" +
		fmt.Sprintf(last, "key") + ", '') AS key FROM json_each(?) AS j LIMIT -1) AS p CROSS JOIN read_links AS l ON l.stream_id = ? AND l.link = p.link AND (l.sort, l.key) <= (p.sort, p.key) " +
		"ORDER BY p.n, l.sort, l.key LIMIT -1) AS l CROSS JOIN" + joins
	list := strings.ReplaceAll(fmt.Sprint(q.Links), " ", ",") // as JSON
	args := []any{q.StreamID, q.Limit - 1, q.StreamID, q.Limit - 1, list, q.StreamID}
	if s.db.IsServer() { // which leaves long values where they are when it sorts
		text = columns + "unnest(?::bigint[]) WITH ORDINALITY AS p (link, n) CROSS JOIN LATERAL " +
			"(SELECT stream_id, link, sort, key FROM read_links WHERE stream_id = ? AND link = p.link ORDER BY sort, key LIMIT ?) AS l JOIN" + joins + " ORDER BY p.n, l.sort, l.key"
		args = []any{"{" + strings.Trim(list, "[]") + "}", q.StreamID, q.Limit}
	}
	var link int64
	cut, err = s.rowsOf(ctx, q.Bytes, func(r *scanned) []any { return r.record(&link, &r.Sort, &r.Key) }, func(r *Row) {
		r.StreamID = q.StreamID
		out = append(out, Linked{*r, link})
	}, text, args...)
	return out, cut, s.db.Fail("read what refers to records", err)
}
