package run

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// LatestRuns returns the newest run of each of these connections that has one, by the
// connection's id. It asks twice, however many there are.
func (s *Store) LatestRuns(ctx context.Context, connectionIDs []string) (map[string]Run, error) {
	var rows []tables.RunRow
	if len(connectionIDs) == 0 {
		return nil, nil
	}
	newest := s.db.Read.NewSelect().Model((*tables.RunRow)(nil)).ColumnExpr("max(pk)").Where("connection_id IN (?)", bun.List(connectionIDs)).GroupExpr("connection_id")
	if err := s.db.Read.NewSelect().Model(&rows).Where("pk IN (?)", newest).Scan(ctx); err != nil {
		return nil, s.db.Fail("read the runs", err)
	}
	runs, err := s.runsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make(map[string]Run, len(runs))
	for i := range runs {
		out[runs[i].ConnectionID] = runs[i]
	}
	return out, nil
}

// UnfinishedRuns returns up to limit runs that have no end, oldest first, and
// where the next page begins; 0: there is none. The first page begins at 0.
func (s *Store) UnfinishedRuns(ctx context.Context, after int64, limit int) (runs []Run, next int64, err error) {
	var rows []tables.RunRow
	limit = tables.PageLimit(limit)
	err = s.db.Read.NewSelect().Model(&rows).Where("status = ? AND pk > ?", tables.StatusRunning, after).Order("pk").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, 0, s.db.Fail("read the runs", err)
	}
	if len(rows) == limit {
		next = rows[len(rows)-1].PK
	}
	runs, err = s.runsOf(ctx, rows)
	return runs, next, err
}

// RunsNamed returns the runs of these ids, as far as there are any.
func (s *Store) RunsNamed(ctx context.Context, ids []string) ([]Run, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []tables.RunRow
	if err := s.db.Read.NewSelect().Model(&rows).Where("run_id IN (?)", bun.List(ids)).Order("pk").Scan(ctx); err != nil {
		return nil, s.db.Fail("read the runs", err)
	}
	return s.runsOf(ctx, rows)
}

// runsOf reads what the records of many runs did in one query.
func (s *Store) runsOf(ctx context.Context, rows []tables.RunRow) ([]Run, error) {
	out := make([]Run, len(rows))
	if len(rows) == 0 {
		return out, nil
	}
	pks, at := make([]int64, len(rows)), make(map[int64]*Run, len(rows))
	for i := range rows {
		out[i] = *publicRun(&rows[i])
		pks[i], at[rows[i].PK] = rows[i].PK, &out[i]
	}
	var counts []struct {
		RunPK int64 `bun:"run_pk"`
		Name  string

		Added, Changed, Unchanged, Deleted, Suppressed int64
	}
	err := s.db.Read.NewRaw(`SELECT c.run_pk, s.name, c.added, c.changed, c.unchanged, c.deleted, c.suppressed
FROM run_streams c JOIN streams s ON s.id = c.stream_id WHERE c.run_pk IN (?)`, bun.List(pks)).Scan(ctx, &counts)
	for _, c := range counts {
		at[c.RunPK].Counts[c.Name] = record.StreamCounts{New: c.Added, Changed: c.Changed, Unchanged: c.Unchanged, Deleted: c.Deleted, Suppressed: c.Suppressed}
	}
	return out, s.db.Fail("read the runs", err)
}
