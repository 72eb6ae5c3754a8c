package run

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// The history of runs ends at Options.History: older runs go, with their events,
// their coverage and the details that they recovered. Records, open gaps and gaps
// that were given up, cursors, leases and the memory of deliveries stay. So does an
// old run that says what no younger one does, which stream it was the last to
// collect, what it was the last to miss, so that the evidence is made again from
// what is left as it was made from all of them.
const (
	// LeastRuns is how many of a connection's newest runs stay, however old.
	LeastRuns = 50
	// PruneFew is how many runs have to be old before the end of a run looks at them,
	// and pruneMany the most that one transaction looks at; besides it deletes at most
	// pruneParts events or gaps.
	PruneFew, pruneMany = 32, 100
	pruneParts          = 2000
)

// PruneRuns prunes a bounded part of a connection's history: the next of the runs
// that ended before a moment, but for the newest, where there are at least few of
// them. more: it may be called again at once.
func PruneRuns(t *db.Tx, connectionID string, before time.Time, least, few int) (pruned int64, more bool, err error) {
	var to int64
	var manifest string
	err = t.DB.QueryRowContext(t.Ctx, "SELECT pruned_to, pinned_manifest FROM connections WHERE id = ?", connectionID).Scan(&to, &manifest)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil // removed meanwhile
	}
	if err != nil {
		return 0, false, err
	}
	var newest int64
	err = t.DB.QueryRowContext(t.Ctx, "SELECT pk FROM runs WHERE connection_id = ? ORDER BY pk DESC LIMIT 1 OFFSET ?", connectionID, least-1).Scan(&newest)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	const ended = "connection_id = ? AND pk < ? AND finished_us > 0 AND finished_us < ?"
	var fresh []int64
	err = t.DB.NewSelect().Model((*tables.RunRow)(nil)).Column("pk").Where(ended, connectionID, newest, db.Micros(before)).Where("pk > ?", to).
		Order("pk").Limit(pruneMany).Scan(t.Ctx, &fresh)
	if err != nil || len(fresh) < few {
		return 0, false, err
	}
	to = fresh[len(fresh)-1]
	var old []int64
	err = t.DB.NewSelect().Model((*tables.RunRow)(nil)).Column("pk").Where(ended, connectionID, newest, db.Micros(before)).Where("pk <= ?", to).
		Order("pk").Scan(t.Ctx, &old)
	if err != nil {
		return 0, false, err
	}
	h, err := ReadHistory(t, connectionID, lookAhead(t, connectionID, to))
	if err != nil {
		return 0, false, err
	}
	facts := &stored.Facts{}
	_ = evidence.AcceptManifest(facts, manifest) // one that cannot be read names no stream
	h.manifest = facts.Manifest
	h.Says = h.Replay()
	h.Spare(old)
	if more, err = pruneOfRuns(t, connectionID, old, h.Gone); err != nil || more {
		return 0, more, err
	}
	if len(h.Gone) > 0 {
		if err := DeleteRuns(t, h.Gone); err != nil {
			return 0, false, err
		}
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE connections SET pruned_to = ? WHERE id = ?", to, connectionID)
	return int64(len(h.Gone)), len(fresh) == pruneMany, err
}

// lookAhead is the pk up to which runs are read to judge those up to another: what
// the next ones say over again need not be kept.
func lookAhead(t *db.Tx, connectionID string, to int64) (pk int64) {
	err := t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(pk), 0) FROM (SELECT pk FROM runs WHERE connection_id = ? AND pk > ? ORDER BY pk LIMIT ?) AS next",
		connectionID, to, pruneMany).Scan(&pk)
	if err != nil {
		return to // what is read less spares a run more
	}
	return max(pk, to)
}

// pruneOfRuns deletes events of old runs and the details recovered by those that
// go, a bounded number of each. more: there are others.
func pruneOfRuns(t *db.Tx, connectionID string, old, gone []int64) (more bool, err error) {
	t.Erased = true
	res, err := t.DB.ExecContext(t.Ctx, "DELETE FROM events WHERE (run_pk, seq) IN (SELECT run_pk, seq FROM events WHERE run_pk IN (?) LIMIT ?)", bun.List(old), pruneParts)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == pruneParts || len(gone) == 0 {
		return n == pruneParts, err
	}
	var ids []string
	var rows []tables.GapRow
	err = t.DB.NewSelect().Model(&rows).Column("id", "reason").Where("status = ?", tables.GapRecovered).
		Where("recovered_run_id IN (SELECT run_id FROM runs WHERE pk IN (?))", bun.List(gone)).Limit(pruneParts).Scan(t.Ctx)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	pressed := 0
	for i := range rows {
		ids = append(ids, rows[i].ID)
		if abi.Reason(rows[i].Reason).IsSourcePressure() {
			pressed++
		}
	}
	if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM gaps WHERE id IN (?)", bun.List(ids)); err != nil {
		return false, err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE connections SET recovered_pruned = recovered_pruned + ? WHERE id = ?", pressed, connectionID)
	return len(rows) == pruneParts, err
}

// pruneAfter queues, once the transaction has ended the run, a look at the history of
// its connection, one bounded part after the other, behind what else is queued.
func (w *Writer) pruneAfter(t *db.Tx) {
	if w.history > 0 {
		t.AfterCommit(func() { pruneNext(w.db, w.To.ConnectionID, w.history) })
	}
}

func pruneNext(d *db.DB, connectionID string, history time.Duration) {
	_ = d.Push(&db.Op{Do: func(t *db.Tx) error { // a store that is closed does it another time
		_, more, err := PruneRuns(t, connectionID, t.Now.Add(-history), LeastRuns, PruneFew)
		if err != nil {
			d.Logger().Warn("the history of runs was not pruned", "error", err)
		} else if more {
			pruneNext(d, connectionID, history)
		}
		return err
	}})
}

// PruneRuns prunes the history of every connection's runs down to what
// Options.History keeps, and returns how many runs went.
func (s *Store) PruneRuns(ctx context.Context) (pruned int64, err error) {
	if s.history <= 0 {
		return 0, nil
	}
	var connections []string
	if err := s.db.Read.NewSelect().Model((*tables.ConnectionRow)(nil)).Column("id").Order("name").Scan(ctx, &connections); err != nil {
		return 0, s.db.Fail("prune the history", err)
	}
	for _, id := range connections {
		for more := true; more; {
			var n int64
			err := s.db.Alone(ctx, "prune the history", func(t *db.Tx) (err error) {
				n, more, err = PruneRuns(t, id, t.Now.Add(-s.history), LeastRuns, 1)
				return err
			})
			if err != nil {
				return pruned, err
			}
			pruned += n
		}
	}
	return pruned, nil
}
