package owner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// KeepRefusal keeps with a connection that a run of it was refused, in the refusal's
// own words. It keeps nothing of a connection that a device feeds: that is not for this
// host to judge.
func KeepRefusal(ctx context.Context, store *storage.Store, conn *storage.Connection, refusal error) error {
	fed, err := FedByDevice(ctx, store, conn.ID)
	if err != nil || fed {
		return err
	}
	state, err := store.ScheduleState(ctx, conn.ID, 2)
	if err != nil {
		return err
	}
	d := storage.Dispatch{ConnectionID: conn.ID, Trigger: string(schedule.Manual), Reason: string(abi.CodeOf(refusal))}
	if len(state.Runs) > 0 {
		d.AfterRun = state.Runs[0].Number
	}
	for _, r := range state.Runs {
		if r.Status != storage.StatusRunning {
			d.Identity = r.RunID // as a scheduler tells two refusals apart
			break
		}
	}
	if e, ok := errors.AsType[*abi.Error](refusal); ok {
		d.Says = e.Message
	}
	return store.RecordRefusal(ctx, d)
}

// mostAway is how many connections, each with a reason, are remembered whose starts were refused.
const mostAway = 1000

// TurnedAway remembers the starts that were refused while the store takes no writes. Its zero value
// remembers nothing. It is safe for concurrent use.
type TurnedAway struct {
	mu  sync.Mutex
	all map[awayKey]*storage.TurnedAway
}

type awayKey struct{ connectionID, reason string }

// note remembers starts, and reports whether they are the first of their connection and reason.
func (t *TurnedAway) note(a *storage.TurnedAway) (fresh bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := awayKey{a.ConnectionID, a.Reason}
	if was := t.all[k]; was != nil {
		was.Trigger, was.Says, was.LastAt, was.Count = a.Trigger, a.Says, a.LastAt, was.Count+a.Count
		return false
	}
	if len(t.all) >= mostAway {
		return false
	}
	if t.all == nil {
		t.all = map[awayKey]*storage.TurnedAway{}
	}
	own := *a
	t.all[k] = &own
	return true
}

// of returns what is remembered of a connection, or of every one where its id is "".
func (t *TurnedAway) of(connectionID string) (some []storage.TurnedAway) {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, a := range t.all {
		if connectionID == "" || k.connectionID == connectionID {
			some = append(some, *a)
		}
	}
	return some
}

// take returns all that is remembered, and forgets it.
func (t *TurnedAway) take() (all []storage.TurnedAway) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.all {
		all = append(all, *a)
	}
	t.all = nil
	return all
}

// TurnAway keeps that a start of a connection was refused for a reason that says nothing of it: in the
// store, and in the memory of a process that serves while the store takes no writes. It reports
// whether the memory had none of that connection and reason. It keeps nothing of a connection that a
// device feeds.
func (o *Owner) TurnAway(ctx context.Context, store *storage.Store, conn *storage.Connection, trigger schedule.Trigger, refusal error) (fresh bool) {
	if fed, err := FedByDevice(ctx, store, conn.ID); err != nil || fed {
		return false
	}
	now := o.Now()
	a := storage.TurnedAway{ConnectionID: conn.ID, Trigger: string(trigger), Reason: string(abi.CodeOf(refusal)), FirstAt: now, LastAt: now, Count: 1}
	if e, ok := errors.AsType[*abi.Error](refusal); ok {
		a.Says = health.Sentence(e.Message)
	}
	if o.Away != nil && o.RefusesRuns() != "" {
		return o.Away.note(&a)
	}
	err := store.KeepTurnedAway(ctx, []storage.TurnedAway{a})
	switch {
	case err != nil && o.Away != nil:
		return o.Away.note(&a)
	case err != nil:
		o.Logger.Warn("it cannot be kept that the run was refused", "code", abi.CodeOf(err))
	}
	return false
}

// KeepTurnedAway writes the starts that the memory has into a store that takes writes again. Where it
// takes none after all, they stay remembered.
func (o *Owner) KeepTurnedAway(ctx context.Context) {
	if o.Away == nil || o.store == nil || o.RefusesRuns() != "" {
		return
	}
	all := o.Away.take()
	if err := o.store.KeepTurnedAway(context.WithoutCancel(ctx), all); err != nil {
		for i := range all {
			o.Away.note(&all[i])
		}
	}
}

// turnedAway returns the starts that were refused while the listed runs were made: of a connection, or
// of every one where its id is "". before is the run before which the list begins, and runs are its
// runs, which go on where there are as many as limit.
func (o *Owner) turnedAway(ctx context.Context, store *storage.Store, connectionID, before string, runs []storage.Run, limit int) ([]storage.TurnedAway, error) {
	var since, until time.Time
	if before != "" {
		first, err := store.Run(ctx, before)
		if err != nil {
			return nil, err
		}
		until = first.StartedAt
	}
	if limit > 0 && len(runs) == limit {
		since = runs[limit-1].StartedAt
	}
	all, err := store.TurnedAway(ctx, connectionID, since, until)
	if err != nil || before != "" {
		return all, err
	}
	for _, a := range o.Away.of(connectionID) {
		at := slices.IndexFunc(all, func(b storage.TurnedAway) bool { return b.ConnectionID == a.ConnectionID && b.Reason == a.Reason })
		if at < 0 {
			all = append(all, a)
			continue
		}
		a.FirstAt, a.Count = all[at].FirstAt, a.Count+all[at].Count
		all[at] = a
	}
	return all, nil
}
