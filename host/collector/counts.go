package collector

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Counts is the state of a lane's outbox. A time that is not known is nil.
type Counts struct {
	Pending          int64               `json:"pending"`
	Retrying         int64               `json:"retrying"`
	Leased           int64               `json:"leased"`
	StaleLeases      int64               `json:"stale_leases"`
	DeadLetter       int64               `json:"dead_letter"`
	Sent             int64               `json:"sent"`
	Total            int64               `json:"total"`
	BacklogOpen      int64               `json:"backlog_open"`
	GapsOpen         int64               `json:"gaps_open"`
	OldestPendingAt  *time.Time          `json:"oldest_pending_at"`
	OldestRetryingAt *time.Time          `json:"oldest_retrying_at"`
	NextAttemptAt    *time.Time          `json:"next_attempt_at"`
	LastAckAt        *time.Time          `json:"last_acknowledged_at"`
	LastCheckpointAt *time.Time          `json:"last_checkpoint_at"`
	DeadLetterWhy    []device.ErrorClass `json:"dead_letter_classes"`
}

// CoverageSeen says whether the lane has ever carried a coverage diagnostic:
// nil when that cannot be told within bounds (LC-07.3).
type CoverageSeen struct {
	Observed      *bool `json:"observed"`
	RecordBatches int64 `json:"record_batches"`
}

func countsOf(c *storage.OutboxCounts) Counts {
	return Counts{
		Pending: c.Pending, Retrying: c.Retrying, Leased: c.Leased, StaleLeases: c.StaleLeases, DeadLetter: c.DeadLetter,
		Sent: c.Succeeded, Total: c.Total, BacklogOpen: c.BacklogOpen, GapsOpen: c.GapsOpen,
		OldestPendingAt: moment(c.OldestPendingAt), OldestRetryingAt: moment(c.OldestRetryingAt), NextAttemptAt: moment(c.NextAttemptAt),
		LastAckAt: moment(c.LastAckAt), LastCheckpointAt: moment(c.LastCheckpointAt),
		DeadLetterWhy: append([]device.ErrorClass{}, c.DeadLetterClasses...),
	}
}

// waiting is how many rows are still to be delivered and may be.
func waiting(c *storage.OutboxCounts) int64 { return c.Pending + c.Retrying + c.Leased }

// undelivered is how many rows the host has not acknowledged.
func undelivered(c *storage.OutboxCounts) int64 { return waiting(c) + c.DeadLetter }

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
