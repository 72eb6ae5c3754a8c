package schedule

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The store's order decides which attempt is the last, not the clock: a success ends a
// sequence of failures even if the clock was set back in between.
func TestHistoryIsInTheStoresOrder(t *testing.T) {
	t.Parallel()
	state := storage.ScheduleState{
		Runs: []storage.RunEnd{
			{RunID: "success", Number: 9, Status: StatusSucceeded, FinishedAt: clock("10:00")},
			{RunID: "failure", Number: 7, Status: StatusFailed, Code: "x", FinishedAt: clock("12:00")},
		},
		Dispatches: []storage.Dispatch{
			{Status: StatusRefused, Reason: "newest", AfterRun: 9, LastAt: clock("09:00")},
			{Status: "skipped", Reason: "not a refusal", AfterRun: 9},
			{Status: StatusRefused, Reason: "between", AfterRun: 7, LastAt: clock("13:00")},
			{Status: StatusRefused, Reason: "between, earlier", AfterRun: 7, LastAt: clock("14:00")},
			{Status: StatusRefused, Reason: "before all", AfterRun: 3, LastAt: clock("15:00")},
		},
	}
	var got []string
	for _, e := range history(state, false) {
		got = append(got, e.RunID+e.Code)
	}
	want := []string{"newest", "success", "between", "between, earlier", "failurex", "before all"}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want len(got) == len(want)", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %s, want %s", i, got[i], want[i])
		}
	}
}

// A confirming run that became owed before the clock was put back by a year is
// no reason to run all year long.
func TestAClockPutBackOwesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.states["c"].ConfirmOwed = time.Now().AddDate(1, 0, 0)
		w.during(w.scheduler(), func() { time.Sleep(5*time.Hour + 30*time.Minute) })
		if n := len(w.ran("c")); n > 6 {
			t.Errorf("ran %d times in five hours and a half, want n <= 6", n)
		}
	})
}

// A connection that its owner pauses is not tried again within its dispatch.
func TestAPauseEndsRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			w.change(func() { w.states["c"].Schedule.Paused = true })
			return lasting(time.Minute, StatusFailed, "demo_hiccup")(w, ctx, j)
		}
		w.during(w.scheduler(), func() { time.Sleep(10 * time.Minute) })
		if n := len(w.ran("c")); n != 1 {
			t.Errorf("started %d times, want 1", n)
		}
	})
}

// One pass: what waits for a worker is decided about again once there is one, and
// what another process runs just then is skipped and no failure.
func TestOnceDecidesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "first", "paused", "taken")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Connection.Name == "taken" {
				return refusing(abi.CodeConnectionBusy)(w, ctx, j)
			}
			w.change(func() { w.states["paused"].Schedule.Paused = true })
			return lasting(time.Hour, StatusSucceeded, "")(w, ctx, j)
		}
		looked, err := w.scheduler(func(d *Deps) { d.Workers = 1 }).Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []Looked{{Started: true}, {Reason: ReasonPaused}, {Reason: ReasonRunning}} {
			if got := looked[i]; got.Started != want.Started || got.Reason != want.Reason || got.Err != nil {
				t.Errorf("looked[i]: got %+v, want got.Started == want.Started && got.Reason == want.Reason && got.Err == nil", got)
			}
		}
		if len(w.adopted) != 3 {
			t.Errorf("adopted: %v, want 3", w.adopted)
		}
	})
}

// A connection that is removed during a pass does not stop the others.
func TestARemovedConnectionIsNoTrouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "removed", "stays")
		looked, err := w.scheduler(func(d *Deps) {
			d.Pressure = func(_ context.Context, c storage.Connection) (p Pressure, err error) {
				if c.Name == "removed" {
					err = abi.NewError(abi.CodeConnectionUnknown, "no such connection", "")
				}
				return p, err
			}
		}).Once(t.Context())
		if err != nil || len(looked) != 1 || !looked[0].Started {
			t.Errorf("got %+v, %v, want no error && len(looked) == 1 && looked[0].Started", looked, err)
		}
	})
}

// One by hand waits for as long as one by schedule: the owner's interval counts
// before the manifest's.
func TestOneCooldownForBoth(t *testing.T) {
	t.Parallel()
	p := Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: clock("12:00")}}
	recommended := policy("automatic", every(time.Hour))
	recommended.MaxCooldownCycles = new(int64(3))
	for name, c := range map[string]struct {
		s    Setting
		p    *abi.RefreshPolicy
		want string
	}{
		"the owner's":    {Setting{Every: 1800}, recommended, "12:30"},
		"the manifest's": {Setting{}, recommended, "13:00"},
		"the default":    {Setting{}, nil, "18:00"},
	} {
		in := p.Cooldown(c.s, c.p, time.Time{})
		if until, _ := Cooldown(in, clock("12:01")); !until.Equal(clock(c.want)) {
			t.Errorf("%s: until %s, want %s", name, until, c.want)
		}
		if (in.MaxCycles == 3) != (c.p != nil) {
			t.Errorf("%s: %d cycles, want %v", name, in.MaxCycles, (c.p != nil))
		}
	}
}

// Health receives the reason that holds a connection back, and the event that ends it.
func TestHoldsAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "cooling", "failing", "given up", "gone", "manual")
		w.press["cooling"] = Pressure{Run: &Gap{Reason: abi.ReasonUpstreamPressure, LastAttemptAt: time.Now()}}
		w.policy["manual"] = policy("manual")
		for name, n := range map[string]int{"failing": 3, "given up": 7} {
			for i := range n {
				w.states[name].Runs = append(w.states[name].Runs, storage.RunEnd{
					RunID: name, Number: int64(9 - i), Status: StatusFailed, Reason: "x", StartedAt: time.Now().Add(-90 * time.Minute), FinishedAt: time.Now().Add(-30 * time.Minute),
				})
			}
		}
		w.play = refusing(abi.CodeRootMissing)
		if _, err := w.scheduler().Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"cooling": "until", "failing": "until", "given up": "for_good", "gone": "owner", "manual": ""} {
			d := w.states[name].Dispatches
			if len(d) != 1 || string(d[0].Holds) != want || (want == "until") == d[0].Until.IsZero() {
				t.Errorf(`%s: got %+v, want len(d) == 1 && string(d[0].Holds) == want && (want == "until") != d[0].Until.IsZero()`, name, d)
			}
		}
	})
}
