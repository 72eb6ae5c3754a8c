package outbox

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// maxClasses bounds how many reasons of dead letters are told apart.
const maxClasses = 10

// OutboxCounts returns the state of the lane's work at this moment, in one
// snapshot, without reading what the rows hold (LC-07.1).
func (s *Store) OutboxCounts(ctx context.Context) (Counts, error) {
	c, err := countedAt(ctx, s.db.Read, db.Micros(s.db.Now()))
	return c, s.db.Fail("count the outbox", err)
}

// countedAt counts within one read transaction, so that the counts agree.
func countedAt(ctx context.Context, db *bun.DB, nowUS int64) (c Counts, err error) {
	err = db.RunInTx(ctx, &sql.TxOptions{ReadOnly: true}, func(ctx context.Context, tx bun.Tx) error {
		lane, err := laneOf(ctx, tx)
		if err == nil && lane == nil {
			err = noOutbox("")
		}
		if err != nil {
			return err
		}
		c, err = countOutbox(ctx, tx, lane, nowUS)
		return err
	})
	return c, err
}

func countOutbox(ctx context.Context, q bun.IDB, lane *laneRow, nowUS int64) (c Counts, err error) {
	var open struct {
		Pending, Retrying, Leased, Stale, Dead, Batches, Holds int64
		OldestPending, OldestRetrying, NextAttempt             int64
	}
	err = q.NewRaw(`SELECT count(*) FILTER (WHERE status = 'ready' AND next_attempt_us <= ?0) AS pending,
count(*) FILTER (WHERE status = 'ready' AND next_attempt_us > ?0) AS retrying,
count(*) FILTER (WHERE status = 'leased') AS leased,
count(*) FILTER (WHERE status = 'leased' AND lease_until_us <= ?0) AS stale,
count(*) FILTER (WHERE status = 'dead_letter') AS dead,
count(*) FILTER (WHERE kind = 'record_batch' AND status <> 'dead_letter') AS batches,
count(*) FILTER (WHERE kind <> 'gap') AS holds,
coalesce(min(created_us) FILTER (WHERE status = 'ready' AND next_attempt_us <= ?0), 0) AS oldest_pending,
coalesce(min(created_us) FILTER (WHERE status = 'ready' AND next_attempt_us > ?0), 0) AS oldest_retrying,
coalesce(min(next_attempt_us) FILTER (WHERE status = 'ready' AND next_attempt_us > ?0), 0) AS next_attempt
FROM outbox WHERE `+undelivered, nowUS).Scan(ctx, &open)
	if err != nil {
		return c, err
	}
	c = Counts{
		Pending: open.Pending, Retrying: open.Retrying, Leased: open.Leased, StaleLeases: open.Stale, DeadLetter: open.Dead,
		OldestPendingAt: db.Time(open.OldestPending), OldestRetryingAt: db.Time(open.OldestRetrying), NextAttemptAt: db.Time(open.NextAttempt),
		LastAckAt: db.Time(lane.LastAckUS), LastCheckpointAt: db.Time(lane.LastCheckpointUS), RecordBatches: lane.BatchesDelivered + open.Batches,
		HoldsScan: open.Holds,
	}
	err = q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM outbox WHERE status = 'succeeded'),
(SELECT count(*) FROM work_units WHERE status = 'backlog') + (SELECT count(*) FROM gaps WHERE status IN ('pending', 'in_progress')),
(SELECT count(*) FROM work_units WHERE status = 'gap') + (SELECT count(*) FROM gaps WHERE status = 'terminal')`).
		Scan(&c.Succeeded, &c.BacklogOpen, &c.GapsOpen)
	if err != nil {
		return c, err
	}
	c.Total = c.Pending + c.Retrying + c.Leased + c.DeadLetter + c.Succeeded
	if c.DeadLetterClasses, err = deadClasses(ctx, q); err != nil {
		return c, err
	}
	if c.PutOff, err = putOff(ctx, q); err != nil {
		return c, err
	}
	if c.CoverageObserved, err = coverageObserved(ctx, q, lane); err != nil {
		return c, err
	}
	now, err := claimable(ctx, q, nowUS, 1)
	c.LifecycleState = c.Lifecycle(len(now) > 0)
	return c, err
}

func deadClasses(ctx context.Context, q bun.IDB) ([]device.ErrorClass, error) {
	var rows []struct {
		N     int64
		Class string
	}
	err := q.NewRaw(`SELECT count(*) AS n, error_class AS class FROM outbox WHERE status = 'dead_letter' AND `+undelivered+`
GROUP BY error_class ORDER BY n DESC, class LIMIT ?`, maxClasses).Scan(ctx, &rows)
	out := make([]device.ErrorClass, len(rows))
	for i, r := range rows {
		out[i] = device.ErrorClass{Count: r.N, Class: r.Class}
	}
	return out, err
}

// putOff counts what is to be tried again, the most frequent reason first.
func putOff(ctx context.Context, q bun.IDB) ([]PutOff, error) {
	var rows []struct {
		N              int64
		Class, Message string
	}
	err := q.NewRaw(`SELECT count(*) AS n, error_class AS class, max(last_error) AS message FROM outbox
WHERE status = 'ready' AND attempt_count > 0 AND error_class <> '' AND `+undelivered+`
GROUP BY error_class ORDER BY n DESC, class LIMIT ?`, maxClasses).Scan(ctx, &rows)
	var out []PutOff
	for _, r := range rows {
		out = append(out, PutOff{Count: r.N, Class: r.Class, Message: r.Message})
	}
	return out, err
}

// WaitingBytes is how much the rows hold that are not acknowledged.
func (s *Store) WaitingBytes(ctx context.Context) (n int64, err error) {
	err = s.db.Read.NewRaw("SELECT coalesce(sum(length(payload)), 0) FROM outbox_payloads").Scan(ctx, &n)
	return n, s.db.Fail("measure the outbox", err)
}

// Lifecycle names the one state that holds, the worst first (collector
// contract, section 5.1). claimable: a row could be given out now.
func (c *Counts) Lifecycle(claimable bool) string {
	switch {
	case c.DeadLetter > 0:
		return LaneDeadLetter
	case c.StaleLeases > 0:
		return LaneStaleLease
	case c.Leased > 0, claimable:
		return LaneDraining
	case c.Pending+c.Retrying > 0:
		return LaneRetryableBacklog
	case c.RecordBatches > 0 && c.CoverageObserved != nil && !*c.CoverageObserved:
		return LaneCoverageMissing
	}
	return LaneHealthyIdle
}
