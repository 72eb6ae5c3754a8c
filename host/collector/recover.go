package collector

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Modes of a recovery.
const (
	ModeDryRun = "dry_run"
	ModeApply  = "apply"
)

// RecoverRequest is a recovery to make, or to look at first.
type RecoverRequest struct {
	Apply bool
	Run   RunRequest // what runs once when it is applied
}

// Recovery is what a recovery would do, or did.
type Recovery struct {
	Object           string     `json:"object"` // local_collector_recover
	Mode             string     `json:"mode"`
	SourceInstanceID string     `json:"source_instance_id"`
	ConnectorID      string     `json:"connector_id"`
	Profile          string     `json:"profile,omitempty"`
	DB               DB         `json:"db"`
	Before           LaneState  `json:"before"`
	Planned          Planned    `json:"planned"`
	After            *LaneState `json:"after,omitempty"`
	Run              *RunResult `json:"run,omitempty"`
}

// LaneState is a lane's state at one moment.
type LaneState struct {
	LifecycleState string `json:"lifecycle_state"`
	Counts         Counts `json:"counts"`
}

// Planned is what an applied recovery does.
type Planned struct {
	RequeueDeadLetters int64 `json:"requeue_dead_letters"`
	RecoverLeases      int64 `json:"recover_leases"`
	Run                bool  `json:"run"`
}

func stateOf(c *storage.OutboxCounts) LaneState {
	return LaneState{LifecycleState: c.LifecycleState, Counts: countsOf(c)}
}

// Recover gets a lane going again: what was given up is queued again, what a dead process
// holds is taken over, and the collector runs once, all with the profile that the lane was
// enrolled with. Without Apply it says what it would do, and changes and sends nothing
// (HL-23.11). The answer says beside an error what was done.
func (c *Collector) Recover(ctx context.Context, req RecoverRequest) (*Recovery, error) {
	counts, exists, err := c.inspect(ctx)
	if err != nil {
		return nil, err
	}
	p := c.deps.Profile
	r := &Recovery{
		Object: "local_collector_recover", Mode: ModeDryRun, SourceInstanceID: p.SourceInstanceID, ConnectorID: p.ConnectorID, Profile: p.Name,
		DB: DB{Path: c.deps.LanePath, Exists: exists}, Before: stateOf(&counts),
		Planned: Planned{RequeueDeadLetters: counts.DeadLetter, RecoverLeases: counts.StaleLeases, Run: true},
	}
	if !req.Apply {
		return r, nil
	}
	r.Mode = ModeApply
	if err := c.requeue(ctx, r); err != nil {
		return r, err
	}
	r.Run, err = c.Run(ctx, req.Run)
	if r.Run != nil {
		r.After = &LaneState{LifecycleState: r.Run.LifecycleState, Counts: r.Run.Outbox}
	}
	return r, err
}

// requeue does what the run that follows would not do by itself, and says what
// was done in place of what was planned.
func (c *Collector) requeue(ctx context.Context, r *Recovery) error {
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	r.Planned.RequeueDeadLetters, err = store.RequeueDeadLetters(ctx, false)
	if err == nil {
		r.Planned.RecoverLeases, err = store.RecoverLeases(ctx, c.alive)
	}
	return errors.Join(err, store.Close())
}
