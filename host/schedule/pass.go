package schedule

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage"
)

// candidate is a connection with its plan.
type candidate struct {
	connection storage.Connection
	facts      *facts // nil if the store could not be read; incomplete if err says so
	plan       plan
	due        time.Time
	mark       string // what its facts depend on outside it; "": nothing else
	err        error  // why they could not be read
}

// pass examines the connections that are due for it, starts those that may start and
// are free to, and returns for how long nothing will change without an event.
func (s *Scheduler) pass(ctx context.Context) (wait time.Duration, err error) {
	now := s.deps.Now()
	if s.deps.Refuses != nil {
		if why := s.deps.Refuses(); why != nil {
			return longestWait, s.turnAway(ctx, why, now)
		}
	}
	all, more, err := s.examine(ctx, now)
	if err != nil {
		return 0, err
	}
	next, err := s.deps.Store.NextExamination(ctx, now)
	if err != nil {
		return 0, err
	}
	ready := startable(all)
	s.spread(all, ready, now)
	for _, c := range ready {
		h, free := s.heldUntil(c.connection.ID, now)
		if !free {
			next = soonest(next, h.until)
			continue
		}
		if !s.hasRoom(c.connection) {
			continue // the end of one that has what it needs wakes the loop
		}
		if !s.startJob(ctx, c, nil) {
			break // every worker is busy; the first one to end wakes the loop
		}
	}
	switch {
	case more:
		return 0, nil
	case next.IsZero():
		return longestWait, nil
	}
	return min(next.Sub(now), longestWait), nil
}

// startable returns those that may start, the longest due first, and by name
// where that is the same.
func startable(all []candidate) []candidate {
	ready := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !c.plan.start })
	slices.SortStableFunc(ready, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.due.UnixMicro(), b.due.UnixMicro()), cmp.Compare(a.connection.Name, b.connection.Name))
	})
	return ready
}

// survey decides about connections that no own job runs, and records why due ones are
// skipped.
func (s *Scheduler) survey(ctx context.Context, connections []storage.Connection, probe Probe, now time.Time) ([]candidate, error) {
	var all []candidate
	for _, c := range connections {
		if s.isRunning(c.ID) {
			continue
		}
		x := s.decide(ctx, c, probe, now)
		if x.err == nil {
			s.checkReady(ctx, &x)
		}
		switch {
		case x.err != nil:
		case x.plan.skip != "":
			x.err = s.recordSkip(ctx, x.facts, x.plan)
		default:
			s.forgetSkip(c.ID)
		}
		if abi.CodeOf(x.err) == abi.CodeConnectionUnknown {
			continue // it was removed after it was listed
		}
		if err := s.recordFailure(ctx, &x); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

func (s *Scheduler) decide(ctx context.Context, c storage.Connection, probe Probe, now time.Time) candidate {
	x := candidate{connection: c}
	if c.PinnedSHA256 == "" { // the mark includes its module; read before the facts, so a later change counts as new
		x.mark = s.circumstances(ctx, c)
	}
	if x.facts, x.err = s.gather(ctx, c, now); x.err != nil {
		return x
	}
	if x.facts.onDevice { // no schedule of this host applies, so it is never due
		x.plan = x.facts.plan(time.Time{}, now)
		return x
	}
	if f := x.facts; !f.adopted && f.setting.Enrolled(f.policy) {
		if x.err = s.deps.Store.AdoptSchedule(ctx, c.ID); x.err != nil {
			return x
		}
	}
	healed, err := s.heal(ctx, x.facts, probe)
	if x.err = err; err != nil {
		return x
	}
	if x.due, x.err = s.due(ctx, x.facts, now); x.err == nil {
		x.plan = x.facts.plan(x.due, now)
	}
	if healed != "" {
		// The report includes the result: a run, or the remaining obstacle.
		s.report(Event{Kind: EventHealed, Connection: c.Name, Trigger: Confirming, Healed: healed, Reason: x.plan.skip, Until: x.plan.at})
	}
	return x
}

// checkReady records that a run could not begin, long before one is due. A connection
// that its owner runs or has paused is not checked, and for one that may start now the
// attempt reports it.
func (s *Scheduler) checkReady(ctx context.Context, x *candidate) {
	f := x.facts
	if s.deps.Ready == nil || x.plan.start || f.onDevice || f.busy || f.obstacle != nil || f.setting.Paused || !f.setting.Enrolled(f.policy) {
		return
	}
	why := s.deps.Ready(ctx, x.connection)
	if why == nil || ctx.Err() != nil || f.refusedFor(why) {
		return
	}
	// It has no mark, because the probe looks for a missing module.
	if s.refused(ctx, *x, Event{Connection: x.connection.Name, Trigger: Scheduled}, why, "") {
		x.plan = x.plan.skipped(ReasonNotReady, time.Time{}, "")
		x.facts.standing = &storage.Dispatch{Status: StatusRefused, Reason: string(abi.CodeOf(why)), Says: health.Sentence(refusalText(why)), Holds: stored.HeldForOwner}
	}
}

// recordFailure keeps a problem of one connection from stopping the others: it is recorded as
// the reason why that one does not run. A problem that its owner has to solve, such as
// a module that is missing before the first run, is recorded like a run's own refusal.
func (s *Scheduler) recordFailure(ctx context.Context, x *candidate) error {
	own, ok := errors.AsType[*unresolved](x.err)
	if !ok || ctx.Err() != nil {
		return x.err
	}
	code := abi.CodeOf(own.err)
	if OwnersToChange(code) {
		if !x.facts.refusedFor(own.err) {
			s.refused(ctx, *x, Event{Connection: x.connection.Name, Trigger: Scheduled}, own.err, x.mark)
		}
		return nil
	}
	e := Event{Kind: EventSkipped, Connection: x.connection.Name, Trigger: Scheduled, Reason: ReasonUnresolvable, Err: own.err}
	return s.record(ctx, e, x.facts, string(code), "")
}

// recordSkip records why a due connection is not run.
func (s *Scheduler) recordSkip(ctx context.Context, f *facts, p plan) error {
	if p.skip == ReasonRunning || p.skip == ReasonOnDevice || f.alreadyHeld(p, s.deps.Now()) {
		return nil // a run, here or on a device, is no skip; the holding record is already stored
	}
	e := Event{Kind: EventSkipped, Connection: f.connection.Name, Trigger: p.trigger, Reason: p.skip, Until: p.at}
	return s.record(ctx, e, f, f.newest+" "+p.identity, f.holdKind(p))
}

// alreadyHeld reports whether the record that holds the connection already describes the
// plan's reason, and in more detail: which refusal it was, or until when the source is
// left alone.
func (f *facts) alreadyHeld(p plan, now time.Time) bool {
	kept := f.standing
	if kept == nil {
		return false
	}
	switch p.skip {
	case ReasonAttention, ReasonNotReady, ReasonBackingOff, ReasonGivenUp:
		return f.refusalStands()
	case ReasonManual, ReasonPaused, ReasonUnsafe:
		return kept.Reason == string(ReasonCoolingDown) && kept.Until.After(now)
	}
	return false
}

// refusalStands reports whether a refusal that the owner has to resolve holds the
// connection.
func (f *facts) refusalStands() bool {
	kept := f.standing
	return kept != nil && kept.Status == StatusRefused && kept.Holds == stored.HeldForOwner
}

// refusedFor reports whether that refusal is already recorded: it holds the
// connection, or it is the newest record.
func (f *facts) refusedFor(why error) bool {
	for _, d := range []*storage.Dispatch{f.standing, f.latest} {
		if d != nil && d.Status == StatusRefused && d.Reason == string(abi.CodeOf(why)) {
			return true
		}
	}
	return false
}

// PutOff records until when source pressure delays a connection, as a pass does, for a
// run that its owner started. The zero time: it does not.
func (s *Scheduler) PutOff(ctx context.Context, c storage.Connection) (until time.Time, err error) {
	now := s.deps.Now()
	f, err := s.gather(ctx, c, now)
	if err != nil {
		return until, err
	}
	until, why := Cooldown(f.pressure, now)
	if until.IsZero() || f.onDevice {
		return time.Time{}, nil
	}
	return until, s.recordSkip(ctx, f, plan{trigger: Scheduled}.skipped(ReasonCoolingDown, until, why.Identity()))
}

// holdKinds maps the skips that affect a connection's health to the event that ends each.
var holdKinds = map[Reason]stored.HoldKind{
	ReasonCoolingDown: stored.HeldUntil, ReasonBackingOff: stored.HeldUntil, ReasonGivenUp: stored.HeldForGood,
	ReasonNotReady: stored.HeldForOwner, ReasonAttention: stored.HeldForOwner,
}

// holdKind returns the hold that a skip means for the connection's health. A removed
// credential is left out, because the evidence itself shows it.
func (f *facts) holdKind(p plan) stored.HoldKind {
	if p.skip == ReasonAttention && f.obstacle != nil && f.obstacle.Code == CodeSignedOut {
		return ""
	}
	return holdKinds[p.skip]
}

// skipped identifies a skip of a connection.
type skipped struct {
	reason   Reason
	identity string
	until    int64
	putRight bool
	afterRun int64
}

// record records a skip, and reports it if it differs from the last one. A repeated
// skip is not even written.
func (s *Scheduler) record(ctx context.Context, e Event, f *facts, identity string, kind stored.HoldKind) error {
	id := f.connection.ID
	what := skipped{e.Reason, identity, e.Until.UnixMicro(), f.putRight, f.afterRun}
	s.mu.Lock()
	same := s.skipped[id] == what
	s.mu.Unlock()
	if same {
		return nil
	}
	fresh, err := s.deps.Store.RecordDispatch(ctx, storage.Dispatch{
		ConnectionID: id, Trigger: string(e.Trigger), Status: "skipped", Reason: string(e.Reason), Identity: identity, Until: e.Until,
		Holds: kind, PutRight: f.putRight, AfterRun: f.afterRun,
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.skipped[id] = what
	s.mu.Unlock()
	if fresh {
		s.report(e)
	}
	return nil
}
