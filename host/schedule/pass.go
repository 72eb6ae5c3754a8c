package schedule

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage"
)

// candidate is a connection, with what is to be done about it now.
type candidate struct {
	connection storage.Connection
	facts      *facts // nil when the store could not be read; some of them when err says so
	plan       plan
	due        time.Time
	rests      string // what its facts were read over; "": on nothing besides it
	err        error  // why they could not
}

// pass looks at every connection, starts what may start and is free to, and
// returns how long nothing will change by itself.
func (s *Scheduler) pass(ctx context.Context) (wait time.Duration, err error) {
	now := s.deps.Now()
	all, err := s.survey(ctx, now)
	if err != nil {
		return 0, err
	}
	var next time.Time
	for _, c := range all {
		if !c.plan.start && !c.plan.at.IsZero() {
			next = soonest(next, c.plan.at)
		}
	}
	ready := startable(all)
	s.spread(ready, now)
	for _, c := range ready {
		h, free := s.free(c.connection.ID, now)
		if !free {
			next = soonest(next, h.until)
			continue
		}
		if !s.begin(ctx, c, nil) {
			break // every worker is busy: the one that ends wakes the loop
		}
	}
	if next.IsZero() {
		return longestWait, nil
	}
	return min(next.Sub(now), longestWait), nil
}

// startable returns those that may start, the longest due first.
func startable(all []candidate) []candidate {
	ready := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !c.plan.start })
	slices.SortStableFunc(ready, func(a, b candidate) int { return cmp.Compare(a.due.UnixMicro(), b.due.UnixMicro()) })
	return ready
}

// survey decides about every connection that no job of ours runs, and keeps why
// those are skipped that would be due.
func (s *Scheduler) survey(ctx context.Context, now time.Time) ([]candidate, error) {
	connections, err := s.deps.Store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	var all []candidate
	probe := s.probe()
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
			continue // it was removed since it was listed
		}
		if err := s.apart(ctx, &x); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

func (s *Scheduler) decide(ctx context.Context, c storage.Connection, probe Probe, now time.Time) candidate {
	x := candidate{connection: c}
	if c.PinnedSHA256 == "" { // its module is asked; before it: what changes meanwhile is another
		x.rests = s.rests(ctx, c)
	}
	if x.facts, x.err = s.gather(ctx, c, now); x.err != nil {
		return x
	}
	if x.facts.onDevice { // it has no schedule here, and no time at which it is due
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
		// What comes of it is part of what is told: a run, or what it still waits for.
		s.report(Event{Kind: EventHealed, Connection: c.Name, Trigger: Confirming, Healed: healed, Reason: x.plan.skip, Until: x.plan.at})
	}
	return x
}

// checkReady keeps that a run could not begin long before one is due. What its owner
// runs by hand or has paused waits for nothing, and what may start now is told by
// the attempt.
func (s *Scheduler) checkReady(ctx context.Context, x *candidate) {
	f := x.facts
	if s.deps.Ready == nil || x.plan.start || f.onDevice || f.busy || f.obstacle != nil || f.setting.Paused || !f.setting.Enrolled(f.policy) {
		return
	}
	why := s.deps.Ready(ctx, x.connection)
	if why == nil || ctx.Err() != nil || f.refusedFor(why) {
		return
	}
	// It has no mark: a module that is gone is looked for by the probe.
	if s.refused(ctx, *x, Event{Connection: x.connection.Name, Trigger: Scheduled}, why, "") {
		x.plan = x.plan.skipped(ReasonNotReady, time.Time{}, "")
		x.facts.standing = &storage.Dispatch{Status: StatusRefused, Reason: string(abi.CodeOf(why)), Says: health.Sentence(saying(why)), Holds: health.HeldForOwner}
	}
}

// apart keeps trouble with one connection from stopping the others: it is
// recorded as the reason why that one does not run. What its owner has to change, as
// a module that is missing before the first run, is kept like a run's own refusal.
func (s *Scheduler) apart(ctx context.Context, x *candidate) error {
	own, ok := errors.AsType[*unresolved](x.err)
	if !ok || ctx.Err() != nil {
		return x.err
	}
	code := abi.CodeOf(own.err)
	if OwnersToChange(code) {
		if !x.facts.refusedFor(own.err) {
			s.refused(ctx, *x, Event{Connection: x.connection.Name, Trigger: Scheduled}, own.err, x.rests)
		}
		return nil
	}
	e := Event{Kind: EventSkipped, Connection: x.connection.Name, Trigger: Scheduled, Reason: ReasonUnresolvable, Err: own.err}
	return s.record(ctx, e, x.facts, string(code), "")
}

// recordSkip keeps why a connection is not run although it would be due.
func (s *Scheduler) recordSkip(ctx context.Context, f *facts, p plan) error {
	if p.skip == ReasonRunning || p.skip == ReasonOnDevice || f.stands(p, s.deps.Now()) {
		return nil // a run, here or on a device, is no skip; what stands is kept already
	}
	e := Event{Kind: EventSkipped, Connection: f.connection.Name, Trigger: p.trigger, Reason: p.skip, Until: p.at}
	return s.record(ctx, e, f, f.newest+" "+p.identity, f.holding(p))
}

// stands reports whether the record that holds the connection tells of what a plan
// waits for, and more of it: which refusal it was, or until when the source is left
// alone.
func (f *facts) stands(p plan, now time.Time) bool {
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

// refusalStands reports whether a refusal holds the connection that its owner has to
// do something about.
func (f *facts) refusalStands() bool {
	kept := f.standing
	return kept != nil && kept.Status == StatusRefused && kept.Holds == health.HeldForOwner
}

// refusedFor reports whether that refusal is kept already: it holds the connection,
// or it is the newest record.
func (f *facts) refusedFor(why error) bool {
	for _, d := range []*storage.Dispatch{f.standing, f.latest} {
		if d != nil && d.Status == StatusRefused && d.Reason == string(abi.CodeOf(why)) {
			return true
		}
	}
	return false
}

// PutOff keeps until when source pressure puts a connection off, as a pass does:
// it is for a run that its owner made by hand. The zero time: it does not.
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

// holds are the skips that a connection's health tells of, and what ends each.
var holds = map[Reason]health.HoldKind{
	ReasonCoolingDown: health.HeldUntil, ReasonBackingOff: health.HeldUntil, ReasonGivenUp: health.HeldForGood,
	ReasonNotReady: health.HeldForOwner, ReasonAttention: health.HeldForOwner,
}

// holding is what a skip holds of the connection's health. What the evidence knows
// better by itself is not said beside it: a credential that was taken away.
func (f *facts) holding(p plan) health.HoldKind {
	if p.skip == ReasonAttention && f.obstacle != nil && f.obstacle.Code == CodeSignedOut {
		return ""
	}
	return holds[p.skip]
}

// skipped is what makes two skips of a connection the same.
type skipped struct {
	reason   Reason
	identity string
	until    int64
	putRight bool
	afterRun int64
}

// record keeps a skip, and reports it when it is another one than the last. The
// same skip again, a pass later, is not even written.
func (s *Scheduler) record(ctx context.Context, e Event, f *facts, identity string, kind health.HoldKind) error {
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
