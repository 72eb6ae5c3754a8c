package collector

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Requeued is what retrying dead letters did.
type Requeued struct {
	Object           string    `json:"object"` // local_collector_retry_dead_letters
	SourceInstanceID string    `json:"source_instance_id"`
	Requeued         int64     `json:"requeued"`
	After            LaneState `json:"after"`
}

// RetryDeadLetters queues everything again that was given up. The next run
// delivers it.
func (c *Collector) RetryDeadLetters(ctx context.Context) (*Requeued, error) {
	r := &Requeued{Object: "local_collector_retry_dead_letters", SourceInstanceID: c.deps.Profile.SourceInstanceID}
	err := c.upkeep(ctx, &r.After, func(store *storage.Outbox) (err error) {
		r.Requeued, err = store.RequeueDeadLetters(ctx, false)
		return err
	})
	return r, err
}

// PruneResult is what pruning by hand did.
type PruneResult struct {
	Object           string     `json:"object"` // local_collector_prune_sent
	SourceInstanceID string     `json:"source_instance_id"`
	PrunedSent       PrunedSent `json:"prunedSent"` //nolint:tagliatelle // the protocol names it so
	After            LaneState  `json:"after"`
}

// PruneSent removes what was acknowledged but for the keep newest rows; below 1:
// as many as the automatic prune keeps.
func (c *Collector) PruneSent(ctx context.Context, keep int64) (*PruneResult, error) {
	if keep < 1 {
		keep = pruningOf(c.deps.AutoPrune, c.deps.Getenv).keep
	}
	r := &PruneResult{Object: "local_collector_prune_sent", SourceInstanceID: c.deps.Profile.SourceInstanceID}
	err := c.upkeep(ctx, &r.After, func(store *storage.Outbox) error {
		done, err := store.PruneDelivered(ctx, keep)
		r.PrunedSent = PrunedSent{Enabled: true, Matched: done.Matched, Pruned: done.Pruned}
		return err
	})
	return r, err
}

// upkeep opens a lane that is there, works on it, and counts it.
func (c *Collector) upkeep(ctx context.Context, after *LaneState, work func(*storage.Outbox) error) error {
	_, exists, err := c.inspect(ctx)
	if err != nil {
		return err
	}
	if !exists {
		return abi.NewError(CodeLaneMissing, "this lane has collected nothing yet", "run it first: pdpp-local-collector run --source-instance-id "+c.deps.Profile.SourceInstanceID).
			WithDetail(c.deps.Profile.SourceInstanceID)
	}
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err = work(store); err == nil {
		var counts storage.OutboxCounts
		if counts, err = store.OutboxCounts(ctx); err == nil {
			*after = stateOf(&counts)
		}
	}
	return errors.Join(err, store.Close())
}
