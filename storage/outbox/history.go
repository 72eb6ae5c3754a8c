package outbox

import (
	"context"
	"math"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// PruneHistory deletes the lane's runs that have ended, with their events and counts, but for
// the keep newest, and returns how many. A fact that only an older run tells stays with it:
// which stream it was the last to collect, what it was the last to miss. So the connection's
// evidence is made again from what is left as it was made from all of them, byte for byte.
func (s *Store) PruneHistory(ctx context.Context, keep int) (pruned int64, err error) {
	if keep < 1 {
		return 0, abi.NewError(CodeKeepRefused, "a prune has to keep at least one run", "give a number from 1")
	}
	var connections []string
	if err := s.db.Read.NewSelect().Model((*tables.ConnectionRow)(nil)).Column("id").Order("name").Scan(ctx, &connections); err != nil {
		return 0, s.db.Fail("read the runs", err)
	}
	for _, id := range connections {
		for after := int64(0); after >= 0; {
			var gone []int64
			var next int64
			err := s.db.Alone(ctx, "prune runs", func(t *db.Tx) (err error) {
				if gone, next, err = spareRuns(t, id, after, keep); err != nil || len(gone) == 0 {
					return err
				}
				return run.DeleteRuns(t, gone)
			})
			if err != nil {
				return pruned, err
			}
			pruned, after = pruned+int64(len(gone)), next
		}
	}
	return pruned, nil
}

// spareRuns returns which of the runs after a pk can go, of a bounded number, and
// where the next ones begin; below 0: there are none.
func spareRuns(t *db.Tx, connectionID string, after int64, keep int) (gone []int64, next int64, err error) {
	h, err := run.ReadHistory(t, connectionID, math.MaxInt64)
	if err != nil {
		return nil, 0, err
	}
	waiting, err := undeliveredRuns(t)
	if err != nil {
		return nil, 0, err
	}
	ended := 0
	for i := range h.Rows {
		if h.Rows[i].Status != tables.StatusRunning {
			ended++
		}
	}
	var old []int64
	next = -1
	for i := range h.Rows {
		r := &h.Rows[i]
		if r.Status == tables.StatusRunning {
			continue
		}
		if ended <= keep {
			break
		}
		ended--
		if r.PK <= after || slices.Contains(waiting, r.RunID) {
			continue
		}
		if len(old) == PruneRows {
			next = old[len(old)-1]
			break
		}
		old = append(old, r.PK)
	}
	if len(old) == 0 {
		return nil, next, nil
	}
	h.Says = h.Replay()
	h.Spare(old)
	return h.Gone, next, nil
}

// undeliveredRuns are the runs of which something is still to be delivered.
func undeliveredRuns(t *db.Tx) (ids []string, err error) {
	err = t.DB.NewRaw("SELECT DISTINCT run_id FROM outbox WHERE "+undelivered).Scan(t.Ctx, &ids)
	return ids, err
}
