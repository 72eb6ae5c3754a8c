package send

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// PB-D1: the unit is the attempt, also one that failed.
func TestRunBudgetCountsAttempts(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(4), func(d *Deps) { d.Run = NewRunBudget(3, 0) })
	b.script(unwell, unwell, says{})
	b.ok(1)
	s := b.stopped()
	if b.calls != 3 || s.Reason != abi.ReasonRequestCapReached || s.Attempts != 0 || s.Record.RequestCount != 3 {
		t.Errorf("%d calls, %+v, want b.calls == 3 && s.Reason == abi.ReasonRequestCapReached && s.Attempts == 0 && s.Record.RequestCount == 3", b.calls, s)
	}
	half := newBed(t, calm(4), func(d *Deps) { d.Run = NewRunBudget(2, 0) })
	half.script(unwell)
	if s := half.stopped(); half.calls != 2 || s.Reason != abi.ReasonRequestCapReached || s.Attempts != 2 {
		t.Errorf("%d calls, %+v, want half.calls == 2 && s.Reason == abi.ReasonRequestCapReached && s.Attempts == 2", half.calls, s)
	}
}

// PB-D7: the time runs from the first question on, is looked at between
// fetches, and a fetch that is under way is not cut.
func TestRunBudgetTime(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(1), func(d *Deps) { d.Run = NewRunBudget(0, 10*time.Second) })
	b.clock.Advance(time.Hour) // before the first question
	b.script(says{takes: 9 * time.Second}, says{takes: 20 * time.Second})
	b.ok(2)
	s := b.stopped()
	if b.calls != 2 || s.Reason != abi.ReasonWallClockDeadline || s.ArmsCooldown() || s.Record.ElapsedMS != 29_000 {
		t.Errorf("%d calls, %+v, want b.calls == 2 && s.Reason == abi.ReasonWallClockDeadline && !s.ArmsCooldown() && s.Record.ElapsedMS == 29_000", b.calls, s)
	}
	paced := newBed(t, named(), func(d *Deps) { d.Run = NewRunBudget(0, 500*time.Millisecond) })
	if s := paced.stopped(); paced.calls != 0 || s.Reason != abi.ReasonWallClockDeadline || paced.at() != 0 {
		t.Errorf("a wait that outlasts the run: %d calls, %+v, want paced.calls == 0 && s.Reason == abi.ReasonWallClockDeadline && paced.at() == 0", paced.calls, s)
	}
	retrying := newBed(t, calm(3), func(d *Deps) { d.Run = NewRunBudget(0, 100*time.Millisecond) })
	retrying.script(unwell)
	if s := retrying.stopped(); retrying.calls != 1 || s.Reason != abi.ReasonWallClockDeadline || retrying.at() != 0 {
		t.Errorf("a back-off that outlasts the run: %d calls, %+v, want retrying.calls == 1 && s.Reason == abi.ReasonWallClockDeadline && retrying.at() == 0", retrying.calls, s)
	}
}

// OC-18.3: a rest takes none of the time, whether it goes on or is over; one before the
// first request is none of it.
func TestRunBudgetRests(t *testing.T) {
	t.Parallel()
	rested := time.Hour
	b := NewRunBudget(0, 10*time.Second).Resting(func() time.Duration { return rested })
	for _, tc := range []struct {
		at, rested time.Duration
		want       abi.Reason
		left       time.Duration
	}{
		{0, time.Hour, "", 10 * time.Second},
		{9 * time.Second, time.Hour, "", time.Second},
		{30 * time.Minute, time.Hour + 30*time.Minute - 9*time.Second, "", time.Second},
		{30*time.Minute + time.Second, time.Hour + 30*time.Minute - 9*time.Second, abi.ReasonWallClockDeadline, 0},
	} {
		rested = tc.rested
		got := b.exhausted(epoch.Add(tc.at))
		if left, _ := b.remaining(epoch.Add(tc.at)); got != tc.want || left != tc.left {
			t.Errorf("after %s: got %q and %s left, want %q and %s", tc.at, got, left, tc.want, tc.left)
		}
	}
}

// If both budgets are used up, the request cap is reported.
func TestRunBudgetBoth(t *testing.T) {
	t.Parallel()
	b := NewRunBudget(1, time.Second)
	if r := b.charge(epoch); r != "" {
		t.Fatalf(`b.charge(epoch): got %+v, want r == ""`, r)
	}
	if r := b.exhausted(epoch.Add(time.Hour)); r != abi.ReasonRequestCapReached {
		t.Errorf("b.exhausted(epoch.Add(time.Hour)): got %+v, want r == abi.ReasonRequestCapReached", r)
	}
}

// PB-A1: without an envelope a run is unbounded.
func TestUnbounded(t *testing.T) {
	t.Parallel()
	for _, run := range []*RunBudget{nil, NewRunBudget(0, 0), NewRunBudget(-1, -1)} {
		b := newBed(t, named(), func(d *Deps) { d.Run = run })
		b.ok(2000)
		if b.calls != 2000 {
			t.Errorf("got %+v, want b.calls == 2000", b.calls)
		}
	}
}

// RT-24.1, PB-D9, PB-A2: every planned stop has a reason outside the set that
// arms the cooldown.
func TestPlannedStopsAreNoPressure(t *testing.T) {
	t.Parallel()
	planned := []abi.Reason{
		abi.ReasonRequestCapReached, abi.ReasonWallClockDeadline, abi.ReasonRetryBudgetExhausted, abi.ReasonCircuitOpen,
	}
	for _, r := range append(slices.Clone(planned), abi.RunCap...) {
		if r.Has(abi.SourcePressure) {
			t.Errorf("%s arms the cooldown, want !r.Has(abi.SourcePressure)", r)
		}
	}
	g := newBed(t, named(), nil).g
	for _, r := range planned {
		s := g.stopPlanned(r, 0, time.Time{})
		if s.ArmsCooldown() || s.GapReason().IsSourcePressure() || !r.Has(abi.BudgetExhaustion) {
			t.Errorf("%s: got %+v, want !s.ArmsCooldown() && !s.GapReason().IsSourcePressure() && r.Has(abi.BudgetExhaustion)", r, s)
		}
	}
}
