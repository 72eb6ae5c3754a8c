package schedule

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Looked is what one look at a connection came to.
type Looked struct {
	Connection string
	Trigger    Trigger
	Started    bool
	Reason     Reason    // why it was not started
	At         time.Time // when it is looked at again; zero: when something changes
	Due        time.Time // of one that would be run by itself now: since when
	Escalated  bool      // a cooldown that has gone on for so long that its owner should look
	Says       string    // the words of the refusal that it waits behind; "": none stands
	Waits      bool      // for its owner, who has to do something before it can go on
	Run        *Ended    // how its last attempt ended; nil: there was none
	Runs       int       // how many runs its attempts came to
	Err        error     // why it was refused, or could not be judged

	passed Reason // it was started, and it was not the time after all
}

// Once runs everything that is due now, each connection once, and returns when
// all of it has ended: one Looked for each connection, in the store's order. An
// error is the store's, or says that ctx ended.
func (s *Scheduler) Once(ctx context.Context) ([]Looked, error) {
	now := s.deps.Now()
	all, err := s.survey(ctx, now)
	if err != nil {
		return nil, err
	}
	out := make([]Looked, len(all))
	at := map[string]*Looked{}
	for i, c := range all {
		out[i] = c.looked()
		at[c.connection.ID] = &out[i]
	}
	for _, c := range startable(all) {
		l := at[c.connection.ID]
		for ctx.Err() == nil && !l.Started {
			l.Started = s.begin(ctx, c, func(d dispatched) { l.Run, l.Runs, l.Err, l.passed = d.run, d.runs, d.err, d.skip })
			if l.Started {
				break
			}
			<-s.wake // of the worker that ends next
			// It may have waited for hours, in which its owner paused it or ran it.
			if c = s.decide(ctx, c.connection, s.probe(), s.deps.Now()); c.err != nil || !c.plan.start {
				*l = c.looked()
				break
			}
		}
	}
	err = s.wait(ctx)
	for i := range out {
		if l := &out[i]; l.passed != "" {
			l.Started, l.Reason, l.Err = false, l.passed, nil
		}
	}
	return out, err
}

func (s *Scheduler) wait(ctx context.Context) error {
	s.jobs.Wait()
	return context.Cause(ctx)
}

// looked tells of a candidate before anything is started.
func (c *candidate) looked() Looked {
	l := Looked{Connection: c.connection.Name, Trigger: c.plan.trigger, Reason: c.plan.skip, At: c.plan.at, Escalated: c.plan.escalated, Err: c.err}
	switch {
	case c.err != nil:
		l.Trigger, l.Reason = Scheduled, ReasonUnresolvable
	case !c.plan.start && l.Reason == "":
		l.Reason = ReasonNotDue
	}
	if c.err == nil && !c.plan.start {
		l.Waits = c.facts.waits(c.plan)
		if l.Waits && l.Reason != ReasonNotDue && c.facts.refusalStands() {
			l.Says = c.facts.standing.Says
		}
	}
	return l
}

// waits reports whether a plan that starts nothing is for the owner to change. What
// its owner has stopped, or a device or another process runs, waits for nobody.
func (f *facts) waits(p plan) bool {
	switch p.skip {
	case ReasonNotReady, ReasonAttention, ReasonGivenUp:
		return true
	case "", ReasonCoolingDown, ReasonBackingOff:
		return f.standing != nil && f.standing.Holds == health.HeldForOwner
	}
	return false
}

// Look returns what a connection waits for now. It changes nothing and starts
// nothing; At is about when it runs next.
func (s *Scheduler) Look(ctx context.Context, c storage.Connection) (Looked, error) {
	now := s.deps.Now()
	x := candidate{connection: c}
	if x.facts, x.err = s.gather(ctx, c, now); x.err != nil {
		return x.looked(), theirs(x.err)
	}
	if x.facts.onDevice {
		x.plan = x.facts.plan(time.Time{}, now)
		return x.looked(), nil
	}
	watched, err := s.watched(ctx, x.facts, s.probe())
	if err != nil {
		return (&candidate{connection: c, facts: x.facts, err: err}).looked(), nil //nolint:nilerr // the error is what was found
	}
	elsewhere := func(w Watched) bool { return w.healed == HealedElsewhere && w.satisfied() }
	if x.facts.passed(watched) || slices.ContainsFunc(watched, elsewhere) {
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

// theirs returns an error that is the store's, and nil for one that concerns a
// connection.
func theirs(err error) error {
	if _, own := errors.AsType[*unresolved](err); own {
		return nil
	}
	return err
}
