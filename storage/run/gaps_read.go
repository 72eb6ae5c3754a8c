package run

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// GapQuery is one page of a connection's gaps, oldest first.
type GapQuery struct {
	RunID string // those that this run found or dealt with last; "": all
	After *Gap   // the last gap of the page before; nil for the first page
	Limit int    // 0: 100
}

// Gaps returns one page of a connection's detail gaps, in every status.
func (s *Store) Gaps(ctx context.Context, connection string, q GapQuery) ([]Gap, error) {
	const what = "read the gaps"
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail(what, err)
	}
	limit := tables.PageLimit(q.Limit)
	var rows []tables.GapRow
	of := func(column, value string) error {
		var page []tables.GapRow
		query := s.db.Read.NewSelect().Model(&page).Where(column+" = ?", value).Order("created_us", "id").Limit(int64(limit))
		if q.After != nil {
			query = query.Where("(created_us, id) > (?, ?)", db.Micros(q.After.CreatedAt), q.After.ID)
		}
		err := query.Scan(ctx)
		rows = append(rows, page...)
		return err
	}
	if q.RunID == "" {
		err = of("connection_id", c.ID)
	} else if err = of("last_run_id", q.RunID); err == nil {
		// Each by its own index: an OR of both would read and sort all of them.
		err = of("discovered_run_id", q.RunID)
	}
	if err != nil {
		return nil, s.db.Fail(what, err)
	}
	slices.SortFunc(rows, func(a, b tables.GapRow) int {
		return cmp.Or(cmp.Compare(a.CreatedUS, b.CreatedUS), cmp.Compare(a.ID, b.ID))
	})
	rows = slices.CompactFunc(rows, func(a, b tables.GapRow) bool { return a.ID == b.ID })
	out := make([]Gap, 0, min(len(rows), limit))
	for i := range rows[:min(len(rows), limit)] {
		if rows[i].ConnectionID == c.ID {
			out = append(out, GapOf(&rows[i]))
		}
	}
	return out, nil
}

// GapCount counts a connection's open gaps of one stream that are there for one
// reason.
type GapCount struct {
	Stream, Reason, Class string
	Count                 int64
	NextAttempt           time.Time // before it none of them is tried again; zero: at once
}

// GapCounts counts the open gaps of a connection's streams by stream and reason,
// in that order.
func (s *Store) GapCounts(ctx context.Context, connectionID string, streams []string) ([]GapCount, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	var rows []struct {
		Stream, Reason, Class string
		N, NextUS             int64
	}
	err := s.db.Read.NewSelect().Model((*tables.GapRow)(nil)).ColumnExpr("stream, reason, class, count(*) AS n, min(next_attempt_us) AS next_us").
		Where("connection_id = ? AND status IN (?, ?) AND stream IN (?)", connectionID, tables.GapPending, tables.GapInProgress, bun.List(streams)).
		GroupExpr("stream, reason, class").OrderExpr("stream, reason, class").Scan(ctx, &rows)
	if err != nil {
		return nil, s.db.Fail("count the open gaps", err)
	}
	out := make([]GapCount, len(rows))
	for i, r := range rows {
		out[i] = GapCount{r.Stream, r.Reason, r.Class, r.N, db.Time(r.NextUS)}
	}
	return out, nil
}
