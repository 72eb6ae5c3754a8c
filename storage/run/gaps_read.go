package run

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
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

// MostGivenUp bounds how many gaps that were given up a run knows of: a later one that its list
// names again is asked for like any other.
const MostGivenUp = 20_000

// GivenUp returns the gaps of the run's connection whose items are gone or forbidden at the
// provider, the oldest first. They are read as they were when the run began.
func (w *Writer) GivenUp(ctx context.Context, streams []string) ([]Gap, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	var rows []tables.GapRow
	err := w.await(ctx, func(t *db.Tx) error {
		q := givenUp(t.DB.NewSelect().Model(&rows), w.To.ConnectionID, streams)
		return q.Column("id", "stream", "parent_stream", "record_key", "reason", "class", "failures", "last_error").Limit(MostGivenUp).Scan(t.Ctx)
	})
	out := make([]Gap, len(rows))
	for i := range rows {
		out[i] = GapOf(&rows[i])
	}
	return out, err
}

// Holds reports whether the store has a record of a stream of the run's connection.
func (w *Writer) Holds(ctx context.Context, stream string) (holds bool, err error) {
	err = w.await(ctx, func(t *db.Tx) error {
		holds, err = t.DB.NewSelect().TableExpr("streams").Where("connection_id = ? AND name = ? AND live > 0 AND removed = 0", w.To.ConnectionID, stream).Exists(t.Ctx)
		return err
	})
	return holds, err
}

// MissingDetails counts the gaps of one stream, reason and class, and says which they are.
type MissingDetails struct {
	GapCount

	Keys []string // of the first three
	Said string   // what the provider said of the one that was tried last, or ""
}

// mostMissingNamed is how many gaps a MissingDetails names.
const mostMissingNamed = 3

// MissingDetails returns the open gaps of a connection's streams and those that were given up, by
// stream, reason and class.
func (s *Store) MissingDetails(ctx context.Context, connectionID string, streams []string) ([]MissingDetails, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	const what = "read what is missing"
	counts, err := s.countGaps(ctx, connectionID, streams, true)
	out := make([]MissingDetails, len(counts))
	for i := range counts {
		c := &counts[i]
		var rows []tables.GapRow
		q := s.db.Read.NewSelect().Model(&rows).Column("record_key", "last_error").
			Where("connection_id = ? AND status IN (?) AND stream = ? AND reason = ? AND class = ?", connectionID, bun.List(missingStatuses), c.Stream, c.Reason, c.Class).
			OrderExpr("last_attempt_us DESC, created_us, record_key").Limit(mostMissingNamed)
		if err == nil {
			err = q.Scan(ctx)
		}
		out[i].GapCount = *c
		for k := range rows {
			out[i].Keys = append(out[i].Keys, rows[k].RecordKey)
			if out[i].Said == "" {
				out[i].Said = saidOf([]byte(rows[k].LastError))
			}
		}
	}
	return out, s.db.Fail(what, err)
}

// saidOf returns the provider's sentence of a gap's last error; "" where it has none.
func saidOf(lastError []byte) string {
	var e abi.GapError
	if len(lastError) == 0 || json.Unmarshal(lastError, &e) != nil {
		return ""
	}
	return e.Said
}

// Said returns what the provider said of the gap's item, or "".
func (g *Gap) Said() string { return saidOf(g.LastError) }

// missingStatuses are those of gaps whose details are missing.
var missingStatuses = []string{tables.GapPending, tables.GapInProgress, tables.GapTerminal}

// GapCounts counts the open gaps of a connection's streams by stream and reason,
// in that order.
func (s *Store) GapCounts(ctx context.Context, connectionID string, streams []string) ([]GapCount, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	counts, err := s.countGaps(ctx, connectionID, streams, false)
	return counts, s.db.Fail("count the open gaps", err)
}

// countGaps is GapCounts, of those that were given up as well with gone.
func (s *Store) countGaps(ctx context.Context, connectionID string, streams []string, gone bool) ([]GapCount, error) {
	var rows []struct {
		Stream, Reason, Class string
		N, NextUS             int64
	}
	q := s.db.Read.NewSelect().Model((*tables.GapRow)(nil)).ColumnExpr("stream, reason, class, count(*) AS n, min(next_attempt_us) AS next_us").
		Where("connection_id = ? AND stream IN (?)", connectionID, bun.List(streams))
	if gone {
		q = q.Where("(status IN (?, ?) OR status = ? AND class = ?)", tables.GapPending, tables.GapInProgress, tables.GapTerminal, string(abi.ReasonGone))
	} else {
		q = q.Where("status IN (?, ?) AND class <> ?", tables.GapPending, tables.GapInProgress, string(abi.ReasonGone))
	}
	if err := q.GroupExpr("stream, reason, class").OrderExpr("stream, reason, class").Scan(ctx, &rows); err != nil {
		return nil, err
	}
	out := make([]GapCount, len(rows))
	for i, r := range rows {
		out[i] = GapCount{r.Stream, r.Reason, r.Class, r.N, db.Time(r.NextUS)}
	}
	return out, nil
}
