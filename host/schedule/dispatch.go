package schedule

import (
	"context"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage"
)

// retryAfter is the wait of a dispatch before its first retry; the second wait is four
// times as long.
const retryAfter = 10 * time.Second

// jobResult is the result of a dispatch.
type jobResult struct {
	run  *Ended // the last attempt's; nil: there was none
	runs int    // over all attempts
	err  error  // why it was refused
	skip Reason // why it was not the time for a run; "" otherwise
	rest time.Duration
	kept bool // the store has recorded it
}

// startJob starts a job if a worker is free. done may be nil.
func (s *Scheduler) startJob(ctx context.Context, c candidate, done func(jobResult)) bool {
	id := c.connection.ID
	what, _ := s.needs(c.connection)
	s.mu.Lock()
	if len(s.running)-min(s.waiting, mostWaiting) >= s.deps.Workers {
		s.mu.Unlock()
		return false
	}
	s.running[id] = true
	if what != "" {
		s.scarce[id] = what
	}
	s.mu.Unlock()
	s.jobs.Go(func() {
		d := s.dispatch(ctx, c)
		if done != nil {
			done(d)
		}
		s.endJob(id, d)
		s.Wake()
	})
	return true
}

// needs returns what is scarce of what a run of the connection needs.
func (s *Scheduler) needs(c storage.Connection) (what string, most int) {
	if s.deps.Scarce == nil {
		return "", 0
	}
	return s.deps.Scarce(c)
}

// hasRoom reports whether a run of the connection would have what it needs. A run that waits
// for its owner has it still.
func (s *Scheduler) hasRoom(c storage.Connection) bool {
	what, most := s.needs(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.scarce {
		if other == what {
			most--
		}
	}
	return what == "" || most > 0
}

// giveWay has a run that waits for its owner give its worker to another; with waiting
// false it goes on, whether a worker is free or not.
func (s *Scheduler) giveWay(waiting bool) {
	s.mu.Lock()
	if waiting {
		s.waiting++
	} else {
		s.waiting--
	}
	s.mu.Unlock()
	s.Wake()
}

// dispatch runs a connection, and again if it failed in a way that may pass.
func (s *Scheduler) dispatch(ctx context.Context, c candidate) jobResult {
	// The outcome is read and recorded even if ctx has ended meanwhile.
	kept := context.WithoutCancel(ctx)
	d := jobResult{rest: restAfterRun}
	before := c.facts.newest
	for attempt := 0; ; attempt++ {
		e := Event{Kind: EventStarted, Connection: c.connection.Name, Trigger: c.plan.trigger, Attempt: attempt}
		s.report(e)
		d.run = nil
		rests := s.circumstances(ctx, c.connection) // read before the attempt: a later change counts as new
		d.err = s.deps.Run(ctx, Job{Connection: c.connection, Trigger: c.plan.trigger, Attendance: c.plan.attendance, Attempt: attempt, Waiting: s.giveWay})
		if d.err != nil {
			if ctx.Err() != nil {
				return d
			}
			if d.skip = busyReasons[abi.CodeOf(d.err)]; d.skip != "" {
				d.rest, d.kept = restAfterBusy, true
				e.Kind, e.Reason, e.Until = EventSkipped, d.skip, s.deps.Now().Add(restAfterBusy)
				s.report(e)
			} else if storage.RefusesWrites(d.err) { // it says nothing of the connection, and the next pass sees the fault
				d.rest, d.kept = longestWait, true
				e.Kind, e.Err = EventRefused, d.err
				s.report(e)
				s.tellTurnedAway(kept, c.connection, e.Trigger, d.err)
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
		d.run, d.kept = f.lastRun(), f.newest != before
		d.runs++
		c.facts = f // the next attempt is recorded after this one
		e.Kind, e.Run = EventEnded, d.run
		s.report(e)
		if !s.shouldRetry(ctx, c, f, attempt) {
			return d
		}
	}
}

// shouldRetry decides whether a dispatch retries, and waits until it may.
func (s *Scheduler) shouldRetry(ctx context.Context, c candidate, f *facts, attempt int) bool {
	now, last := s.deps.Now(), f.lastRun()
	switch {
	case last == nil:
		return false
	case last.Status == StatusCancelled && ctx.Err() != nil:
		// The scheduler interrupted it, so the next scheduler continues with it.
		if err := s.dueAgain(context.WithoutCancel(ctx), f, now); err != nil {
			s.report(Event{Kind: EventTrouble, Connection: c.connection.Name, Err: err})
		}
		return false
	case c.plan.trigger == Confirming: // the owner's action starts one run (HL-26)
		return false
	case f.setting.Paused, attempt >= RetriesInDispatch, !Retried(*last), !f.applyDelays(plan{trigger: c.plan.trigger}, now).start:
		return false
	}
	wait := doubled(retryAfter, int64(2*attempt), 4, time.Hour)
	return pause(ctx, wait+jitter(wait, s.deps.Random()))
}

// busyReasons maps refusals that are not failures to their reasons: it is not the time for
// a run.
var busyReasons = map[abi.Code]Reason{abi.CodeConnectionBusy: ReasonRunning, abi.CodeCoolingDown: ReasonCoolingDown}

// refused records that a connection could not even begin a run, and what the refusal
// depends on. It reports whether the store recorded it.
func (s *Scheduler) refused(ctx context.Context, c candidate, e Event, why error, rests string) (kept bool) {
	e.Kind, e.Err = EventRefused, why
	s.report(e)
	d := storage.Dispatch{
		ConnectionID: c.connection.ID, Trigger: string(e.Trigger), Status: StatusRefused, Reason: string(abi.CodeOf(why)), Identity: c.facts.newestRun(), Says: refusalText(why),
		AfterRun: c.facts.afterRun,
	}
	if OwnersToChange(abi.Code(d.Reason)) {
		d.Holds, d.Identity = stored.HeldForOwner, refusalIdentity(d.Identity, rests)
	}
	_, err := s.deps.Store.RecordDispatch(ctx, d)
	if err != nil {
		s.report(Event{Kind: EventTrouble, Connection: e.Connection, Err: err})
	}
	return err == nil
}

// refusalText returns a refusal's own words. A wrapped error may contain anything, and is
// only printed by the command.
func refusalText(why error) string {
	if typed, ok := errors.AsType[*abi.Error](why); ok {
		return typed.Message
	}
	return ""
}

// newestRun identifies the connection's newest run, so that equal refusals before and
// after a run are two records.
func (f *facts) newestRun() string {
	for i := range f.history {
		if f.history[i].RunID != "" {
			return f.history[i].RunID
		}
	}
	return ""
}

// pause waits for d, and returns false if ctx ended first.
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
