package schedule

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Looked is the result of one examination of a connection.
type Looked struct {
	Connection string
	Trigger    Trigger
	Started    bool
	Reason     Reason    // why it was not started
	At         time.Time // next examination; zero: when something changes
	Due        time.Time // for one that would run automatically now: since when
	Escalated  bool      // a cooldown so long that its owner should look
	Says       string    // text of the refusal that holds the connection; "": none
	Waits      bool      // the owner has to act before it can continue
	Run        *Ended    // end of its last attempt; nil: none
	Runs       int       // number of runs in its attempts
	Err        error     // why it was refused, or could not be examined

	passed Reason // it was dispatched, but it was not the time for a run
}

// Once runs everything that is due now, each connection once, and returns when all
// runs have ended: one Looked for each connection, in the store's order. An error
// comes from the store, or reports that ctx ended.
func (s *Scheduler) Once(ctx context.Context) ([]Looked, error) {
	now := s.deps.Now()
	connections, err := s.deps.Store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.survey(ctx, connections, s.probe(), now)
	if err != nil {
		return nil, err
	}
	out := make([]Looked, len(all))
	at := map[string]*Looked{}
	for i, c := range all {
		out[i] = c.looked()
		at[c.connection.ID] = &out[i]
	}
	waiting := s.startSome(ctx, startable(all), false, at)
	for len(waiting) > 0 && ctx.Err() == nil {
		<-s.wake // the next worker to end
		waiting = s.startSome(ctx, waiting, true, at)
	}
	err = s.wait(ctx)
	for i := range out {
		if l := &out[i]; l.passed != "" {
			l.Started, l.Reason, l.Err = false, l.passed, nil
		}
	}
	return out, err
}

// startSome starts those of waiting that have a worker and what is scarce, in their order, and returns
// the others. One that waits for something scarce holds nobody up.
func (s *Scheduler) startSome(ctx context.Context, waiting []candidate, waited bool, at map[string]*Looked) (left []candidate) {
	for i, c := range waiting {
		if ctx.Err() != nil {
			return append(left, waiting[i:]...)
		}
		if !s.hasRoom(c.connection) {
			left = append(left, c)
			continue
		}
		l := at[c.connection.ID]
		if waited {
			// It may have waited for hours, in which its owner paused it or ran it.
			if c = s.decide(ctx, c.connection, s.probe(), s.deps.Now()); c.err != nil || !c.plan.start {
				*l = c.looked()
				continue
			}
		}
		l.Started = s.startJob(ctx, c, func(d jobResult) { l.Run, l.Runs, l.Err, l.passed = d.run, d.runs, d.err, d.skip })
		if !l.Started { // every worker is busy
			return append(left, waiting[i:]...)
		}
	}
	return left
}

func (s *Scheduler) wait(ctx context.Context) error {
	s.jobs.Wait()
	return context.Cause(ctx)
}

// looked returns a candidate's state before anything is started.
func (c *candidate) looked() Looked {
	l := Looked{Connection: c.connection.Name, Trigger: c.plan.trigger, Reason: c.plan.skip, At: c.plan.at, Escalated: c.plan.escalated, Err: c.err}
	switch {
	case c.err != nil:
		l.Trigger, l.Reason = Scheduled, ReasonUnresolvable
	case !c.plan.start && l.Reason == "":
		l.Reason = ReasonNotDue
	}
	if c.err == nil && !c.plan.start {
		l.Waits = c.facts.waitsForOwner(c.plan)
		if l.Waits && l.Reason != ReasonNotDue && c.facts.refusalStands() {
			l.Says = c.facts.standing.Says
		}
	}
	return l
}

// waitsForOwner reports whether the owner has to act before a plan can start a run. A
// connection that its owner has stopped, or that a device or another process runs,
// does not wait.
func (f *facts) waitsForOwner(p plan) bool {
	switch p.skip {
	case ReasonNotReady, ReasonAttention, ReasonGivenUp:
		return true
	case "", ReasonCoolingDown, ReasonBackingOff:
		return f.standing != nil && f.standing.Holds == stored.HeldForOwner
	}
	return false
}

// Look examines one connection. It changes nothing and starts nothing; At is
// approximately the time of its next run.
func (s *Scheduler) Look(ctx context.Context, c storage.Connection) (Looked, error) {
	now := s.deps.Now()
	x := candidate{connection: c}
	if x.facts, x.err = s.gather(ctx, c, now); x.err != nil {
		return x.looked(), storeError(x.err)
	}
	if x.facts.onDevice {
		x.plan = x.facts.plan(time.Time{}, now)
		return x.looked(), nil
	}
	watched, err := s.watched(ctx, x.facts, s.probe())
	if err != nil {
		return (&candidate{connection: c, facts: x.facts, err: err}).looked(), nil //nolint:nilerr // the error is part of the result
	}
	elsewhere := func(w Watched) bool { return w.healed == HealedElsewhere && w.satisfied() }
	if x.facts.removeResolved(watched) || slices.ContainsFunc(watched, elsewhere) {
		x.facts.confirm = true // the next pass sees it, too
	}
	x.due = x.facts.dueNext(now, 0).At
	x.plan = x.facts.plan(x.due, now)
	l := x.looked()
	if x.plan.start {
		l.At, l.Due = now, now
		if x.plan.trigger == Scheduled {
			l.Due = later(x.due, x.facts.backoff(now).Until)
		}
	}
	return l, nil
}

// storeError returns an error of the store, and nil for one that concerns a connection.
func storeError(err error) error {
	if _, own := errors.AsType[*unresolved](err); own {
		return nil
	}
	return err
}
