package schedule

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
)

func pressured(at string, attempts int64) Gap {
	return Gap{Reason: abi.ReasonRateLimited, AttemptCount: attempts, LastAttemptAt: clock(at)}
}

// The sequence of the governor contract, section 10: base 1 h, anchor 12:00.
func TestCooldownSequence(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int64]string{-5: "13:00", 0: "13:00", 1: "14:00", 2: "16:00", 3: "18:00", 4: "18:00", 6: "18:00", 7: "18:00", 1 << 40: "18:00"} {
		in := CooldownInput{Gaps: []Gap{pressured("12:00", attempt)}, Base: time.Hour}
		if until, why := Cooldown(in, clock("12:00")); !until.Equal(clock(want)) || why.Gaps != 1 || why.Attempt != max(attempt, 0) {
			t.Errorf("attempt %d: %s, %+v, want %s", attempt, until, why, want)
		}
		// Still deferring only while it lies ahead.
		if until, _ := Cooldown(in, clock(want).Add(-time.Second)); !until.Equal(clock(want)) {
			t.Errorf("attempt %d: over before %s, want until.Equal(clock(want))", attempt, want)
		}
		if until, why := Cooldown(in, clock(want)); !until.IsZero() || why.Gaps != 0 {
			t.Errorf("attempt %d: at %s still %s, want until.IsZero() && why.Gaps == 0", attempt, want, until)
		}
	}
	// A short interval doubles six times and no further.
	for attempt, want := range map[int64]time.Duration{5: 32 * time.Minute, 6: 64 * time.Minute, 7: 64 * time.Minute, 99: 64 * time.Minute} {
		in := CooldownInput{Gaps: []Gap{pressured("12:00", attempt)}, Base: time.Minute}
		if until, _ := Cooldown(in, clock("12:00")); until.Sub(clock("12:00")) != want {
			t.Errorf("attempt %d: %s, want %v", attempt, until.Sub(clock("12:00")), want)
		}
	}
}

func TestCooldownEvidence(t *testing.T) {
	t.Parallel()
	named := func(g Gap, at string) Gap { g.NextAttemptAfter = clock(at); return g }
	untimed := Gap{Reason: abi.ReasonUpstreamPressure}
	updated := Gap{Reason: abi.ReasonUpstreamPressure, UpdatedAt: clock("11:30")}
	for name, c := range map[string]struct {
		in   CooldownInput
		now  string
		want string // "": none
	}{
		"nothing":                          {CooldownInput{}, "12:00", ""},
		"all gaps recovered":               {CooldownInput{Gaps: []Gap{}, LastRunAt: clock("12:00")}, "12:00", ""},
		"the provider named a later time":  {CooldownInput{Gaps: []Gap{named(pressured("12:00", 0), "20:00")}}, "12:00", "20:00"},
		"and it holds beyond six hours":    {CooldownInput{Gaps: []Gap{named(pressured("12:00", 0), "20:00")}}, "19:59", "20:00"},
		"the provider named an early time": {CooldownInput{Gaps: []Gap{named(pressured("12:00", 0), "12:10")}}, "12:00", "13:00"},
		"the newest of several":            {CooldownInput{Gaps: []Gap{pressured("10:00", 0), pressured("12:00", 0), pressured("11:00", 0)}}, "12:00", "13:00"},
		"the most attempts of several":     {CooldownInput{Gaps: []Gap{pressured("10:00", 2), pressured("12:00", 0)}}, "12:00", "16:00"},
		"stale attempts do not count":      {CooldownInput{Gaps: []Gap{pressured("05:59", 2), pressured("12:00", 0)}}, "12:00", "13:00"},
		"at six hours they still do":       {CooldownInput{Gaps: []Gap{pressured("06:00", 2), pressured("12:00", 0)}}, "12:00", "16:00"},
		"updated stands in":                {CooldownInput{Gaps: []Gap{updated}}, "12:00", "12:30"},
		"the last run stands in":           {CooldownInput{Gaps: []Gap{untimed}, LastRunAt: clock("11:45")}, "12:00", "12:45"},
		"no instant at all":                {CooldownInput{Gaps: []Gap{untimed}}, "12:00", ""},
		"no shorter than the floor":        {CooldownInput{Gaps: []Gap{pressured("12:00", 0)}, Floor: 90 * time.Minute}, "12:00", "13:30"},
		"the floor outlives the cap":       {CooldownInput{Gaps: []Gap{pressured("12:00", 0)}, Floor: 8 * time.Hour}, "19:00", "20:00"},
		"forced":                           {CooldownInput{Gaps: []Gap{pressured("12:00", 5)}, Force: true}, "12:00", ""},
		"the run's own record":             {CooldownInput{Run: new(pressured("12:00", 1))}, "12:00", "14:00"},
		"the record, and what was said":    {CooldownInput{Run: new(named(pressured("12:00", 0), "15:00"))}, "12:00", "15:00"},
		"record and gaps together":         {CooldownInput{Run: new(pressured("11:00", 2)), Gaps: []Gap{pressured("12:00", 0)}}, "12:00", "16:00"},
		"the clock was put back by a day":  {CooldownInput{Gaps: []Gap{{Reason: abi.ReasonRateLimited, LastAttemptAt: clock("12:00").Add(24 * time.Hour)}}}, "12:00", ""},
		"and by an hour":                   {CooldownInput{Gaps: []Gap{pressured("13:00", 0)}}, "12:00", "14:00"},
	} {
		c.in.Base = time.Hour
		until, _ := Cooldown(c.in, clock(c.now))
		if c.want == "" && !until.IsZero() || c.want != "" && !until.Equal(clock(c.want)) {
			t.Errorf("%s: %s, want %q", name, until, c.want)
		}
	}
}

// RT-17.1, RT-24.1: no budget and no run cap arms the cooldown, neither as a
// gap's reason nor as the class of one that is called pressure. RT-23.1: what a
// provider's refusals leave does, with a gap and without.
func TestOnlySourcePressureArmsTheCooldown(t *testing.T) {
	t.Parallel()
	arms := func(in CooldownInput) bool {
		in.Base = time.Hour
		until, _ := Cooldown(in, clock("12:00"))
		return !until.IsZero()
	}
	for _, planned := range slices.Concat(abi.BudgetExhaustion, abi.RunCap) {
		asReason := Gap{Reason: planned, LastAttemptAt: clock("12:00"), AttemptCount: 9, NextAttemptAfter: clock("20:00")}
		asClass := Gap{Reason: abi.ReasonRateLimited, Class: planned, LastAttemptAt: clock("12:00")}
		asDeferred := Gap{Reason: abi.ReasonRetryExhausted, Class: planned, LastAttemptAt: clock("12:00")}
		for _, g := range []Gap{asReason, asClass, asDeferred} {
			if arms(CooldownInput{Gaps: []Gap{g}}) || arms(CooldownInput{Run: &g}) {
				t.Errorf("%s/%s arms it, want !arms(CooldownInput{Gaps: []Gap{g}}) && !arms(CooldownInput{Run: &g})", g.Reason, g.Class)
			}
		}
	}
	for _, r := range abi.GenericReasons {
		g := Gap{Reason: r, LastAttemptAt: clock("12:00")}
		if want := r.IsSourcePressure(); arms(CooldownInput{Gaps: []Gap{g}}) != want || arms(CooldownInput{Run: &g}) != want {
			t.Errorf("%s: want %v", r, want)
		}
	}
	// A planned stop beside pressure does not hide the pressure.
	if !arms(CooldownInput{Gaps: []Gap{{Reason: abi.ReasonCircuitOpen, LastAttemptAt: clock("12:00")}, pressured("12:00", 0)}}) {
		t.Error("a gap under pressure beside a budget's does not count")
	}
}

func TestCooldownIdentityAndEscalation(t *testing.T) {
	t.Parallel()
	up := Gap{Reason: abi.ReasonUpstreamPressure, LastAttemptAt: clock("12:00"), AttemptCount: 3}
	in := CooldownInput{Gaps: []Gap{up, pressured("12:00", 1), pressured("11:00", 0), {Reason: abi.ReasonRetryExhausted}}, Base: time.Hour}
	_, why := Cooldown(in, clock("12:00"))
	if got := why.Identity(); got != "rate_limited,upstream_pressure/3/3" {
		t.Errorf(`why.Identity(): got %+v, want got == "rate_limited,upstream_pressure/3/3"`, got)
	}
	slices.Reverse(in.Gaps)
	if _, again := Cooldown(in, clock("12:05")); again.Identity() != why.Identity() {
		t.Error("the order of the gaps, or the time, makes another one:", again.Identity())
	}
	for _, c := range []struct {
		attempt, cycles int64
		want            bool
	}{{11, 0, false}, {12, 0, true}, {7, 8, false}, {8, 8, true}, {23, 99, false}, {24, 99, true}, {0, 1, false}, {1, 1, true}} {
		until, why := Cooldown(CooldownInput{Gaps: []Gap{pressured("12:00", c.attempt)}, Base: time.Hour, MaxCycles: c.cycles}, clock("12:00"))
		want := map[bool]string{false: "cooling_off", true: "needs_attention"}[c.want]
		if why.Escalated != c.want || why.State() != want {
			t.Errorf("%d of %d: %+v, want why.Escalated == c.want && why.State() == want", c.attempt, c.cycles, why)
		}
		if plain, _ := Cooldown(CooldownInput{Gaps: []Gap{pressured("12:00", c.attempt)}, Base: time.Hour}, clock("12:00")); !plain.Equal(until) {
			t.Error("escalating changes when it runs")
		}
	}
}

// For any stored values, a cooldown is absent or in the future, at most as far as its
// parameters allow, unless the provider named the time.
func TestCooldownIsBounded(t *testing.T) {
	t.Parallel()
	now := clock("12:00")
	instant := rapid.Custom(func(r *rapid.T) time.Time {
		if rapid.Bool().Draw(r, "none") {
			return time.Time{}
		}
		return now.Add(time.Duration(rapid.Int64().Draw(r, "away")))
	})
	rapid.Check(t, func(r *rapid.T) {
		gap := rapid.Custom(func(r *rapid.T) Gap {
			return Gap{
				Reason: rapid.SampledFrom(abi.GapReasons).Draw(r, "reason"), AttemptCount: rapid.Int64().Draw(r, "attempts"),
				LastAttemptAt: instant.Draw(r, "tried"), UpdatedAt: instant.Draw(r, "updated"), NextAttemptAfter: instant.Draw(r, "next"),
			}
		})
		in := CooldownInput{Gaps: rapid.SliceOfN(gap, 0, 4).Draw(r, "gaps"), LastRunAt: instant.Draw(r, "run"), Base: time.Duration(rapid.Int64().Draw(r, "base"))}
		until, why := Cooldown(in, now)
		if until.IsZero() {
			return
		}
		named := slices.ContainsFunc(in.Gaps, func(g Gap) bool { return g.NextAttemptAfter.Equal(until) })
		if !until.After(now) || why.Gaps == 0 || len(why.Reasons) == 0 || !named && until.After(now.Add(pressureStale+cooldownCap)) {
			r.Fatalf("%+v: %s, %+v", in, until, why)
		}
	})
}

// Evidence that a clock left behind before it went back counts from there: the wait is kept,
// the provider's own too, and it ends.
func TestCooldownOfAClockThatWentBack(t *testing.T) {
	t.Parallel()
	back := clock("12:00")
	for name, g := range map[string]Gap{
		"a year ahead":       {Reason: abi.ReasonRateLimited, LastAttemptAt: back.AddDate(1, 0, 0)},
		"an hour ahead":      {Reason: abi.ReasonRateLimited, LastAttemptAt: back.Add(time.Hour)},
		"the provider's own": {Reason: abi.ReasonRateLimited, LastAttemptAt: back.AddDate(1, 0, 0), NextAttemptAfter: back.AddDate(1, 0, 0).Add(2 * time.Hour)},
	} {
		wait := time.Hour
		if !g.NextAttemptAfter.IsZero() {
			wait = 2 * time.Hour
		}
		in := CooldownInput{Run: &g, Base: time.Hour, ClockBack: back}
		for _, after := range []time.Duration{time.Second, wait - time.Second} {
			if until, _ := Cooldown(in, back.Add(after)); !until.Equal(back.Add(wait)) {
				t.Errorf("%s, after %s: got until %s, want %s", name, after, until, back.Add(wait))
			}
		}
		if until, _ := Cooldown(in, back.Add(wait)); !until.IsZero() && g.LastAttemptAt.After(back.Add(wait)) {
			t.Errorf("%s: got until %s, want an end after %s", name, until, wait)
		}
	}
	if until, _ := Cooldown(CooldownInput{Run: new(pressured("11:30", 0)), Base: time.Hour, ClockBack: clock("11:45")}, back); !until.Equal(clock("12:30")) {
		t.Errorf("what is not ahead: got until %s, want it left alone", until)
	}
}

// AC-13: a pause that a run learned delays until its end and no longer, whatever the interval is;
// an owner's word, and its end, end it. After a clock that went back it is as long as it was.
func TestCooldownOfAPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	pause := func(ago, left time.Duration) *Gap {
		return &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: now.Add(-ago), NextAttemptAfter: now.Add(left)}
	}
	for name, c := range map[string]struct {
		in   CooldownInput
		want time.Duration
	}{
		"none":                           {CooldownInput{}, 0},
		"stands":                         {CooldownInput{Pause: pause(time.Minute, time.Minute), Base: time.Hour, Floor: time.Hour}, time.Minute},
		"is over":                        {CooldownInput{Pause: pause(time.Hour, -time.Second), Base: 6 * time.Hour}, 0},
		"its owner insists":              {CooldownInput{Pause: pause(time.Minute, time.Minute), Force: true}, 0},
		"is longer than the rest":        {CooldownInput{Pause: pause(time.Minute, 2*time.Hour), Run: pause(time.Minute, 0), Base: time.Hour}, 2 * time.Hour},
		"is shorter than the rest":       {CooldownInput{Pause: pause(time.Minute, time.Minute), Run: pause(0, 0), Base: time.Hour}, time.Hour},
		"the clock went back, seen":      {CooldownInput{Pause: pause(-24*time.Hour, 24*time.Hour+time.Minute), ClockBack: now.Add(-10 * time.Second)}, 50 * time.Second},
		"the clock went back, not seen":  {CooldownInput{Pause: pause(-time.Hour, time.Hour+time.Minute)}, time.Hour + time.Minute},
		"a time that nobody can believe": {CooldownInput{Pause: pause(-240*time.Hour, 241*time.Hour)}, 0},
	} {
		until, why := Cooldown(c.in, now)
		if c.want == 0 && !until.IsZero() || c.want > 0 && !until.Equal(now.Add(c.want)) {
			t.Errorf("%s: got %v from now, want %v", name, until.Sub(now), c.want)
		}
		if c.want > 0 && (len(why.Reasons) != 1 || why.Reasons[0] != abi.ReasonRateLimited) {
			t.Errorf("%s: got reasons %v, want rate_limited alone", name, why.Reasons)
		}
	}
}
