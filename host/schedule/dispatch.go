package schedule

import (
	"context"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How long a dispatch waits before it tries again, four times as long the second
// time.
const retryAfter = 10 * time.Second

// dispatched is how a dispatch ended.
type dispatched struct {
	run  *Ended // the last attempt's; nil: there was none
	runs int    // of all attempts
	err  error  // why it was refused
	skip Reason // why it was not the time after all; "" otherwise
	rest time.Duration
	kept bool // the store knows of it
}

// begin starts a job when a worker is free. done may be nil.
func (s *Scheduler) begin(ctx context.Context, c candidate, done func(dispatched)) bool {
	id := c.connection.ID
	s.mu.Lock()
	if len(s.running) >= s.deps.Workers {
		s.mu.Unlock()
		return false
	}
	s.running[id] = true
	s.mu.Unlock()
	s.jobs.Go(func() {
		d := s.dispatch(ctx, c)
		if done != nil {
			done(d)
		}
		s.rest(id, d)
		select {
		case s.wake <- struct{}{}:
		default:
		}
	})
	return true
}

// dispatch runs a connection, and again when it failed in a way that may pass.
func (s *Scheduler) dispatch(ctx context.Context, c candidate) dispatched {
	// The outcome is looked at and kept although ctx may have ended meanwhile.
	kept := context.WithoutCancel(ctx)
	d := dispatched{rest: restAfterRun}
	before := c.facts.newest
	for attempt := 0; ; attempt++ {
		e := Event{Kind: EventStarted, Connection: c.connection.Name, Trigger: c.plan.trigger, Attempt: attempt}
		s.report(e)
		d.run = nil
		rests := s.rests(ctx, c.connection) // before it: what changes meanwhile is another
		d.err = s.deps.Run(ctx, Job{Connection: c.connection, Trigger: c.plan.trigger, Attendance: c.plan.attendance, Attempt: attempt})
		if d.err != nil {
			if ctx.Err() != nil {
				return d
			}
			if d.skip = passing[abi.CodeOf(d.err)]; d.skip != "" {
				d.rest, d.kept = restAfterBusy, true
				e.Kind, e.Reason, e.Until = EventSkipped, d.skip, s.deps.Now().Add(restAfterBusy)
				s.report(e)
			} else {
				d.rest, d.kept = restAfterRun, s.refused(kept, c, e, d.err, rests)
			}
			return d
		}
		f, err := s.gather(kept, c.connection, s.deps.Now())
		if err != nil {
			s.report(Event{Kind: EventTrouble, Connection: c.connection.Name, Err: err})
			return d
		}
		d.run, d.kept = f.last(), f.newest != before
		d.runs++
		c.facts = f // what the next attempt meets comes after this one
		e.Kind, e.Run = EventEnded, d.run
		s.report(e)
		if !s.again(ctx, c, f, attempt) {
			return d
		}
	}
}

// again decides whether a dispatch tries again, and waits until it may.
func (s *Scheduler) again(ctx context.Context, c candidate, f *facts, attempt int) bool {
	now, last := s.deps.Now(), f.last()
	switch {
	case last == nil:
		return false
	case last.Status == StatusCancelled && ctx.Err() != nil:
		// We cut it short: whoever schedules it next goes on with it.
		if err := s.dueAgain(context.WithoutCancel(ctx), f, now); err != nil {
			s.report(Event{Kind: EventTrouble, Connection: c.connection.Name, Err: err})
		}
		return false
	case c.plan.trigger == Confirming: // what its owner did starts one run (HL-26)
		return false
	case f.setting.Paused, attempt >= RetriesInDispatch, !Retried(*last), !f.putOff(plan{trigger: c.plan.trigger}, now).start:
		return false
	}
	wait := doubled(retryAfter, int64(2*attempt), 4, time.Hour)
	return pause(ctx, wait+jitter(wait, s.deps.Random()))
}

// passing are the refusals that are no failure: they say that it is not the time.
var passing = map[abi.Code]Reason{abi.CodeConnectionBusy: ReasonRunning, abi.CodeCoolingDown: ReasonCoolingDown}

// refused keeps that a connection could not even begin to run, and what that rests
// on. It returns whether the store took it.
func (s *Scheduler) refused(ctx context.Context, c candidate, e Event, why error, rests string) (kept bool) {
	e.Kind, e.Err = EventRefused, why
	s.report(e)
	d := storage.Dispatch{
		ConnectionID: c.connection.ID, Trigger: string(e.Trigger), Status: StatusRefused, Reason: string(abi.CodeOf(why)), Identity: c.facts.newestRun(), Says: saying(why),
		AfterRun: c.facts.afterRun,
	}
	if OwnersToChange(abi.Code(d.Reason)) {
		d.Holds, d.Identity = health.HeldForOwner, refusalIdentity(d.Identity, rests)
	}
	_, err := s.deps.Store.RecordDispatch(ctx, d)
	if err != nil {
		s.report(Event{Kind: EventTrouble, Connection: e.Connection, Err: err})
	}
	return err == nil
}

// saying is what a refusal says in its own words. What it wraps may quote anything,
// and stands where the command prints it.
func saying(why error) string {
	if typed, ok := errors.AsType[*abi.Error](why); ok {
		return typed.Message
	}
	return ""
}

// newestRun names the connection's newest run: refusals of one kind before and
// after a run are two records.
func (f *facts) newestRun() string {
	for i := range f.history {
		if f.history[i].RunID != "" {
			return f.history[i].RunID
		}
	}
	return ""
}

// pause waits for d, and returns false when ctx ended instead.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
