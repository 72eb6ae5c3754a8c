package outbox

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// PruneRows is how many rows one transaction of a prune deletes, so that a run
// does not wait long.
const PruneRows = 500

// PruneDelivered deletes the acknowledged rows but for the keep newest, however
// lately they were acknowledged, and nothing else: no other status, no backup,
// and none of the memory of gaps, of carried streams and of counters (LC-09). At
// least one is always kept: a smaller keep is storage.keep_refused.
func (s *Store) PruneDelivered(ctx context.Context, keep int64) (Pruned, error) {
	if keep < 1 {
		return Pruned{}, abi.NewError(CodeKeepRefused, "a prune has to keep at least one acknowledged row",
			"give a number from 1, or switch the prune off")
	}
	out := Pruned{Enabled: true}
	for more := true; more; {
		var matched, deleted int64
		err := s.db.Alone(ctx, "prune", func(t *db.Tx) (err error) {
			matched, deleted, err = pruneChunk(t, keep)
			return err
		})
		if err != nil {
			return out, err
		}
		if out.Pruned == 0 {
			out.Matched = matched
		}
		out.Pruned += deleted
		more = matched > deleted
	}
	return out, s.pruneUnits(ctx)
}

// pruneChunk deletes the oldest rows outside the keep newest ones, and says how
// many there were.
func pruneChunk(t *db.Tx, keep int64) (matched, deleted int64, err error) {
	const outside = `FROM outbox WHERE status = 'succeeded' AND seq <
(SELECT seq FROM outbox WHERE status = 'succeeded' ORDER BY seq DESC LIMIT 1 OFFSET ?)`
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) "+outside, keep-1).Scan(&matched); err != nil || matched == 0 {
		return 0, 0, err
	}
	const chunk = "seq IN (SELECT seq " + outside + " ORDER BY seq LIMIT ?)"
	_, err = t.DB.ExecContext(t.Ctx, `UPDATE lanes SET batches_unknown = batches_unknown +
(SELECT count(*) FROM outbox WHERE kind = 'record_batch' AND indexed = 0 AND `+chunk+`) WHERE id = 1`, keep-1, PruneRows)
	if err != nil {
		return 0, 0, err
	}
	res, err := t.DB.ExecContext(t.Ctx, "DELETE FROM outbox WHERE "+chunk, keep-1, PruneRows)
	if err != nil {
		return 0, 0, err
	}
	deleted, err = res.RowsAffected()
	return matched, deleted, err
}

// pruneUnits deletes the complete units that have no row any more.
func (s *Store) pruneUnits(ctx context.Context) error {
	for more := true; more; {
		err := s.db.Alone(ctx, "prune units", func(t *db.Tx) error {
			res, err := t.DB.ExecContext(t.Ctx, `DELETE FROM work_units WHERE id IN (SELECT u.id FROM work_units u WHERE u.status = 'complete'
AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.unit_id = u.id) LIMIT ?)`, PruneRows)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			more = n == PruneRows
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CompactLane writes the lane's file anew, without the room that pruned rows have
// left, and folds its log back. It needs as much free disk as the file takes, and
// waits for other processes as every write does; what it is asked for while rows
// wait is the caller's to decide.
func (s *Store) CompactLane(ctx context.Context) error {
	return s.db.Vacuum(ctx)
}
