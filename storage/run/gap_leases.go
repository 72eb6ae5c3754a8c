package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// GapPage bounds one page of leased gaps (PB-D11): a page is a transport batch
// and no limit of what a run recovers.
type GapPage struct {
	Streams  []string  // the same for each page of a run, which has one place in the order of all of them
	MaxBytes int       // of locators, cursors and keys; the first gap comes however large it is
	Due      time.Time // gaps that are not to be tried before a later moment stay
	GivenUp  bool      // those whose items are gone or forbidden are asked for once more
}

// LeaseGaps marks a page of pending gaps as in progress for this run and
// returns them, those tried least often first and the oldest of these, so that
// gaps that keep failing do not use up every run; of those that had to wait for
// a later moment, the ones whose moment came first. A gap that this run has
// found, or had leased before, is not returned again, so that a connector may ask
// until the answer is empty (PB-D11). Leases end with the run.
func (w *Writer) LeaseGaps(ctx context.Context, page GapPage) ([]Gap, error) {
	if len(page.Streams) == 0 {
		return nil, nil
	}
	for {
		out, more, err := w.leaseSome(ctx, page)
		if err != nil || len(out) > 0 || !more {
			return out, err
		}
	}
}

// leaseSome leases a page among the next MaxLookedAt gaps. more: there may be others
// behind them.
func (w *Writer) leaseSome(ctx context.Context, page GapPage) (out []Gap, more bool, err error) {
	err = w.await(ctx, func(t *db.Tx) error {
		rows, others, err := leasable(t, w, page)
		more = others
		if err != nil || len(rows) == 0 {
			return err
		}
		w.leases++
		lease := fmt.Sprintf("%s.%d", w.runID, w.leases)
		ids := make([]string, len(rows))
		for i := range rows {
			r := &rows[i]
			ids[i] = r.ID
			r.Status, r.LeaseRunID, r.LeaseID, r.LastRunID = tables.GapInProgress, w.runID, lease, w.runID
			r.LeaseAttempted, r.LeaseExpiresUS = 0, db.Micros(t.Now.Add(w.ttl))
			out = append(out, GapOf(r))
		}
		_, err = t.DB.NewUpdate().Model((*tables.GapRow)(nil)).
			Set("status = ?, lease_run_id = ?, lease_id = ?, last_run_id = ?", tables.GapInProgress, w.runID, lease, w.runID).
			Set("lease_attempted = 0, lease_expires_us = ?", db.Micros(t.Now.Add(w.ttl))).
			Where("id IN (?)", bun.List(ids)).Exec(t.Ctx)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return out, more, nil
}

// leasable returns the next gaps that a run may lease. Those that may be tried at
// once and those that had to wait lie in an index each, so that neither the one
// nor the other is passed over row by row.
func leasable(t *db.Tx, w *Writer, page GapPage) (rows []tables.GapRow, more bool, err error) {
	pending := func() *bun.SelectQuery {
		return t.DB.NewSelect().Where("connection_id = ? AND status = ?", w.To.ConnectionID, tables.GapPending)
	}
	// A gap before the run's place is not for this run: it was leased, or found by this run,
	// and nothing becomes pending there while it goes on.
	next := func() *bun.SelectQuery {
		return pending().Where("next_attempt_us = 0 AND (attempt_count, created_us, id) > (?, ?, ?)", w.leased.Attempts, w.leased.CreatedUS, w.leased.ID).
			Order("attempt_count", "created_us", "id")
	}
	own := func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("stream IN (?) AND last_run_id <> ?", bun.List(page.Streams), w.runID).Limit(MaxPageRows)
	}
	looked := next().TableExpr("gaps").Column("id", "stream", "last_run_id").Limit(MaxLookedAt)
	ids := own(t.DB.NewSelect().TableExpr("(?) AS looked", looked).Column("id"))
	if err := t.DB.NewSelect().Model(&rows).Where("id IN (?)", ids).Order("attempt_count", "created_us", "id").Scan(t.Ctx); err != nil {
		return nil, false, err
	}
	if len(rows) == 0 {
		var last []gapPlace
		if err := next().Model(&last).Offset(MaxLookedAt - 1).Limit(1).Scan(t.Ctx); err != nil {
			return nil, false, err
		}
		if len(last) > 0 {
			w.leased = last[0]
			return nil, true, nil
		}
	}
	var waited []tables.GapRow
	err = own(pending()).Model(&waited).Where("next_attempt_us > 0 AND next_attempt_us <= ?", db.Micros(page.Due)).Order("next_attempt_us").Scan(t.Ctx)
	if err != nil {
		return nil, false, err
	}
	rows = append(rows, waited...)
	if page.GivenUp {
		var gone []tables.GapRow
		q := givenUp(t.DB.NewSelect().Model(&gone), w.To.ConnectionID, page.Streams).Where("last_run_id <> ?", w.runID)
		if err := q.Limit(MaxPageRows).Scan(t.Ctx); err != nil {
			return nil, false, err
		}
		rows = append(rows, gone...)
	}
	slices.SortFunc(rows, func(a, b tables.GapRow) int {
		return cmp.Or(cmp.Compare(a.AttemptCount, b.AttemptCount), cmp.Compare(a.CreatedUS, b.CreatedUS), cmp.Compare(a.ID, b.ID))
	})
	rows = fitting(rows[:min(len(rows), MaxPageRows)], page.MaxBytes)
	for i := range rows {
		if r := &rows[i]; r.NextAttemptUS == 0 && !r.Gone() {
			w.leased = gapPlace{Attempts: r.AttemptCount, CreatedUS: r.CreatedUS, ID: r.ID}
		}
	}
	return rows, false, nil
}

// givenUp narrows a query to the gaps of the streams whose items are gone or forbidden, the oldest
// first.
func givenUp(q *bun.SelectQuery, connectionID string, streams []string) *bun.SelectQuery {
	return q.Where("connection_id = ? AND status = ? AND class = ? AND stream IN (?)", connectionID, tables.GapTerminal, string(abi.ReasonGone), bun.List(streams)).
		Order("created_us", "id")
}

// fitting returns the first rows whose texts stay within bytes, at least one.
func fitting(rows []tables.GapRow, bytes int) []tables.GapRow {
	size := 0
	for i := range rows {
		r := &rows[i]
		size += GapOverhead + len(r.RecordKey) + len(r.DetailLocator) + len(r.ListCursor)
		if i > 0 && size > bytes {
			return rows[:i]
		}
	}
	return rows
}

// returnGaps makes the connection's leased gaps pending again, and those given up that were
// asked for once more given up: no run of it is left to fetch them.
func returnGaps(t *db.Tx, connectionID string) error {
	_, err := t.DB.NewUpdate().Model((*tables.GapRow)(nil)).
		Set("status = CASE WHEN class = ? THEN ? ELSE ? END", string(abi.ReasonGone), tables.GapTerminal, tables.GapPending).
		Set("lease_id = '', lease_attempted = 0, lease_expires_us = 0").
		Where("connection_id = ? AND status = ?", connectionID, tables.GapInProgress).Exec(t.Ctx)
	return err
}
