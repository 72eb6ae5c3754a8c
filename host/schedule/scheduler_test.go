package schedule

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/check"
)

// RT-01.3: what may run by itself does, at the interval that its policy
// recommends; RT-01.2: what needs its owner does not.
func TestEachRunsAtItsInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "hourly", "daily", "manual", "paused", "mine", "held")
		w.policy["daily"] = policy("automatic", every(24*time.Hour))
		w.policy["manual"] = policy("manual")
		w.policy["paused"] = policy("paused")
		w.policy["mine"] = policy("manual", safe(true))
		w.states["mine"].Schedule = storage.Schedule{Mode: "automatic", Every: 6 * time.Hour}
		w.states["held"].Schedule = storage.Schedule{Paused: true}
		w.during(w.scheduler(), func() { time.Sleep(48*time.Hour + 30*time.Minute) })
		for name, want := range map[string]int{"hourly": 47, "daily": 2, "manual": 0, "paused": 0, "mine": 8, "held": 0} {
			at := w.ran(name)
			if len(at) != want {
				t.Errorf("%s ran %d times, want %d", name, len(at), want)
			}
		}
		at := w.ran("hourly")
		for i := 1; i < len(at); i++ {
			if d := at[i].Sub(at[i-1]); d < time.Hour || d > 67*time.Minute {
				t.Errorf("run %d came %s after the one before, want d >= time.Hour && d <= 67 * time.Minute", i, d)
			}
		}
		// One record and one line for each that is skipped, not one a minute.
		if n := w.count(EventSkipped, ReasonManual); n != 2 {
			t.Errorf("%d lines about the manual ones, want 2", n)
		}
		if n := w.count(EventSkipped, ReasonPaused); n != 1 || w.states["held"].Dispatches[0].Count != 1 {
			t.Errorf(`%d lines about the paused one, %+v, want n == 1 && w.states["held"].Dispatches[0].Count == 1`, n, w.states["held"].Dispatches)
		}
	})
}

func TestWorkersAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, 7)
		for i := range names {
			names[i] = fmt.Sprintf("c%d", i)
		}
		w := newWorld(t, names...)
		w.play = lasting(10*time.Minute, StatusSucceeded, "")
		w.during(w.scheduler(), func() { time.Sleep(55 * time.Minute) })
		if w.most != defaultWorkers || len(w.ran("")) != 7 {
			t.Errorf(`%d at once, %d runs, want w.most == defaultWorkers && len(w.ran("")) == 7`, w.most, len(w.ran("")))
		}
	})
}

// OC-18.3: a run that waits for its owner holds up no other.
func TestARunThatWaitsGivesWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c0", "c1", "c2", "c3")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Connection.Name < "c2" {
				j.Waiting(true)
				defer j.Waiting(false)
				return lasting(30*time.Minute, StatusSucceeded, "")(w, ctx, j)
			}
			return lasting(time.Minute, StatusSucceeded, "")(w, ctx, j)
		}
		w.during(w.scheduler(), func() {
			time.Sleep(20 * time.Minute)
			if got := len(w.ran("c2")) + len(w.ran("c3")); got != 2 {
				t.Errorf("got %d runs beside those that wait, want 2", got)
			}
		})
	})
}

// A scheduler that is made anew goes by the due times of the one before, not by
// its own dice.
func TestARestartForgetsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.during(w.scheduler(), func() { time.Sleep(30 * time.Minute) })
		due, dues := w.states["c"].Due.At, w.dues
		w.during(w.scheduler(func(d *Deps) { d.Random = func() float64 { return 0.9 } }), func() { time.Sleep(20 * time.Minute) })
		if w.dues != dues || len(w.ran("c")) != 1 {
			t.Errorf(`%d due times, %d runs, want w.dues == dues && len(w.ran("c")) == 1`, w.dues-dues, len(w.ran("c")))
		}
		w.during(w.scheduler(), func() { time.Sleep(20 * time.Minute) })
		if at := w.ran("c"); len(at) != 2 || at[1].Sub(due) < 0 || at[1].Sub(due) > time.Second {
			t.Errorf("ran at %s, due at %s, want len(at) == 2 && at[1].Sub(due) >= 0 && at[1].Sub(due) <= time.Second", at, due)
		}
	})
}

// A run that another process makes is waited for, and is no failure.
func TestABusyConnectionIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "leased", "raced")
		w.holders["other"] = true
		w.states["leased"].Lease = &storage.Lease{RunID: "r", Holder: "other", ExpiresAt: time.Now().Add(10 * time.Minute)}
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Connection.Name == "raced" && len(w.ran("raced")) < 4 {
				return refusing(abi.CodeConnectionBusy)(w, ctx, j)
			}
			return lasting(time.Minute, StatusSucceeded, "")(w, ctx, j)
		}
		w.during(w.scheduler(), func() {
			time.Sleep(9 * time.Minute)
			if n := len(w.ran("leased")); n != 0 {
				t.Errorf("started %d times beside another's run, want 0", n)
			}
			if n := len(w.ran("raced")); n != 4 || len(w.states["raced"].Dispatches) != 0 {
				t.Errorf(`started %d times, %+v, want n == 4 && len(w.states["raced"].Dispatches) == 0`, n, w.states["raced"].Dispatches)
			}
			time.Sleep(3 * time.Minute)
		})
		if n := len(w.ran("leased")); n != 1 {
			t.Errorf("the lease ran out and it ran %d times, want 1", n)
		}
	})
}

// A run whose host was killed is due again at once, whoever holds its lease.
func TestARunThatWasKilledIsDueAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		st := w.states["c"]
		st.Runs = []storage.RunEnd{{RunID: "r", Status: storage.StatusRunning, Holder: "dead", StartedAt: time.Now().Add(-time.Minute)}}
		st.Lease = &storage.Lease{RunID: "r", Holder: "dead", ExpiresAt: time.Now().Add(time.Hour)}
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			w.change(func() { st.Runs[0].Status, st.Runs[0].FinishedAt, st.Lease = StatusAbandoned, time.Now(), nil })
			return lasting(time.Minute, StatusSucceeded, "")(w, ctx, j)
		}
		w.during(w.scheduler(), func() { time.Sleep(30 * time.Minute) })
		if at := w.ran("c"); len(at) != 1 {
			t.Errorf("ran %d times, want 1", len(at))
		}
	})
}

// One that kills its host every time is not started again and again.
func TestAKillerBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = lasting(time.Minute, StatusAbandoned, "")
		w.during(w.scheduler(), func() { time.Sleep(4 * time.Hour) })
		if n := len(w.ran("c")); n != 5 { // three, then after one hour and after two
			t.Errorf("ran %d times, want 5", n)
		}
		if n := w.count(EventSkipped, ReasonBackingOff); n == 0 {
			t.Error("nobody was told")
		}
	})
}

// After a long sleep everything is due. It starts one after the other.
func TestNoHerdAfterASleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, 20)
		for i := range names {
			names[i] = fmt.Sprintf("c%02d", i)
		}
		w := newWorld(t, names...)
		w.play = lasting(time.Second, StatusSucceeded, "")
		w.during(w.scheduler(func(d *Deps) { d.Workers = 20 }), func() {
			time.Sleep(30 * time.Minute)
			before := len(w.ran(""))
			w.jump(8 * time.Hour)
			time.Sleep(10 * time.Minute)
			at := w.ran("")[before:]
			if len(at) != 20 {
				t.Errorf("%d of 20 ran after the sleep, want 20", len(at))
			}
			slices.SortFunc(at, time.Time.Compare)
			for i := 1; i < len(at); i++ {
				if d := at[i].Sub(at[i-1]); d < stagger || d > 3*stagger {
					t.Errorf("start %d came %s after the one before, want d >= stagger && d <= 3 * stagger", i, d)
				}
			}
		})
	})
}

// Whichever way the wall clock jumps, connections go on running at about their
// interval.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	for _, jump := range []time.Duration{-10 * 365 * 24 * time.Hour, -24 * time.Hour, -90 * time.Minute, 90 * time.Minute, 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "fine", "failing", "cooling")
				w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
					if j.Connection.Name == "failing" {
						end, err := lasting(time.Minute, StatusFailed, "demo_broken")(w, ctx, j)
						end.Retryable = false
						return end, err
					}
					return lasting(time.Minute, StatusSucceeded, "")(w, ctx, j)
				}
				w.press["cooling"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now(), AttemptCount: 1}}
				w.during(w.scheduler(), func() {
					time.Sleep(4*time.Hour + 30*time.Minute)
					before := map[string]int{}
					for _, n := range w.names {
						before[n] = len(w.ran(n))
					}
					w.jump(jump)
					time.Sleep(13 * time.Hour)
					for _, n := range w.names {
						got := len(w.ran(n)) - before[n]
						if least, most := 1, 14; got < least || got > most || n == "fine" && got < 11 {
							t.Errorf(`%s ran %d times in 13 hours, want got >= least && got <= most && (n != "fine" || got >= 11)`, n, got)
						}
					}
				})
			})
		})
	}
}

// Nothing makes the loop spin: neither that there is nothing to do, nor a store
// that fails, nor one that takes no outcome, nor a connection that is refused.
func TestNeverABusyLoop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(w *world)
		starts int // at most, in an hour
	}{
		"nothing to do":              {func(w *world) { w.policy["c"] = policy("manual") }, 0},
		"the store fails":            {func(w *world) { w.broken = errBroken }, 0},
		"no outcome is kept":         {func(w *world) { w.lost, w.play = true, lasting(0, StatusSucceeded, "") }, 9},
		"always busy":                {func(w *world) { w.play = refusing(abi.CodeConnectionBusy) }, 121},
		"refused":                    {func(w *world) { w.play = refusing(abi.CodeUsage) }, 1},
		"refused, always put right":  {func(w *world) { w.play, w.probed["c"] = refusing(abi.CodeRootMissing), true }, 3},
		"no module":                  {func(w *world) { delete(w.policy, "c") }, 0},
		"an interval of nothing":     {func(w *world) { w.states["c"].Schedule = storage.Schedule{Mode: "automatic", Every: time.Second} }, 60},
		"a due time of another kind": {func(w *world) { w.states["c"].Due = storage.Due{Basis: "odd", At: time.Now().Add(9999 * time.Hour)} }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				c.change(w)
				w.during(w.scheduler(), func() { time.Sleep(time.Hour) })
				// A pass a minute, and about one for each start and each rest after it.
				if n := len(w.starts); n > c.starts || w.reads > 65+3*n || w.writes > 5+2*n {
					t.Errorf("%d starts, %d passes, %d writes, want n <= c.starts && w.reads <= 65 + 3*n && w.writes <= 5 + 2*n", n, w.reads, w.writes)
				}
			})
		})
	}
}

func TestAStoreThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.broken = errBroken
		passes := 0
		passed := func(d *Deps) { d.Passed = func() { w.change(func() { passes++ }) } }
		w.during(w.scheduler(passed), func() {
			time.Sleep(5 * time.Minute)
			w.change(func() {
				if w.broken = nil; passes > 0 {
					t.Errorf("%d passes are said to have worked while none did, want passes <= 0", passes)
				}
			})
			time.Sleep(3 * time.Minute)
		})
		if passes < 2 {
			t.Errorf("%d passes are said to have worked, want passes >= 2", passes)
		}
		if trouble, well := w.count(EventTrouble, ""), w.count(EventRecovers, ""); trouble != 1 || well != 1 || len(w.ran("c")) != 1 {
			t.Errorf(`told %d and %d times, %d runs, want trouble == 1 && well == 1 && len(w.ran("c")) == 1`, trouble, well, len(w.ran("c")))
		}
	})
}

// Trouble with one connection is its own.
func TestOneWithoutAModuleHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a", "b", "c")
		delete(w.policy, "b")
		w.during(w.scheduler(), func() { time.Sleep(30 * time.Minute) })
		if len(w.ran("a")) != 1 || len(w.ran("b")) != 0 || len(w.ran("c")) != 1 {
			t.Errorf(`got %+v, want len(w.ran("a")) == 1 && len(w.ran("b")) == 0 && len(w.ran("c")) == 1`, w.starts)
		}
		if d := w.states["b"].Dispatches; len(d) != 1 || d[0].Status != StatusRefused || d[0].Reason != string(abi.CodePluginUnknown) {
			t.Errorf(`w.states["b"].Dispatches: got %+v, want len(d) == 1 && d[0].Status == StatusRefused && d[0].Reason == string(abi.CodePluginUnknown)`, d)
		}
	})
}

func TestRetriesWithinADispatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play func(*world, context.Context, Job) (storage.RunEnd, error)
		want int
	}{
		"what may pass":         {lasting(time.Second, StatusFailed, "demo_hiccup"), 1 + RetriesInDispatch},
		"what does not":         {lasting(time.Second, StatusFailed, "demo_http_404"), 1},
		"what the cooldown has": {lasting(time.Second, StatusFailed, "demo_rate_limited"), 1},
		"what went well":        {lasting(time.Second, StatusSucceeded, ""), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				w.play = c.play
				w.during(w.scheduler(), func() { time.Sleep(20 * time.Minute) })
				if at := w.ran("c"); len(at) != c.want || len(at) > 2 && (at[1].Sub(at[0]) < retryAfter || at[2].Sub(at[1]) < 4*retryAfter) {
					t.Errorf(`w.ran("c"): got %+v, want len(at) == c.want && (len(at) <= 2 || at[1].Sub(at[0]) >= retryAfter && at[2].Sub(at[1]) >= 4 * retryAfter)`, at)
				}
			})
		})
	}
}

// It tries again twice at most, also when it fails in another way each time, and
// not when the first attempt was under pressure.
func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "odd", "slowed")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Connection.Name == "slowed" {
				w.change(func() {
					w.press["slowed"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now()}}
				})
			}
			return lasting(time.Second, StatusFailed, fmt.Sprintf("demo_%d", len(w.ran("odd"))))(w, ctx, j)
		}
		w.during(w.scheduler(), func() { time.Sleep(30 * time.Minute) })
		if odd, slowed := len(w.ran("odd")), len(w.ran("slowed")); odd != 1+RetriesInDispatch || slowed != 1 {
			t.Errorf("%d and %d attempts, want odd == 1 + RetriesInDispatch && slowed == 1", odd, slowed)
		}
	})
}

// From the seventh failure on nothing starts by itself; what its owner does
// about it is tried, with the back-off's wait.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			end, err := lasting(time.Minute, StatusFailed, "demo_broken")(w, ctx, j)
			end.Retryable = false
			return end, err
		}
		w.during(w.scheduler(), func() {
			time.Sleep(10 * 24 * time.Hour)
			if n := len(w.ran("c")); n != blockedFrom || w.count(EventSkipped, ReasonGivenUp) != 1 {
				t.Errorf("ran %d times in ten days, want n == blockedFrom && w.count(EventSkipped, ReasonGivenUp) == 1", n)
			}
			w.change(func() { w.states["c"].ConfirmOwed, w.play = time.Now(), lasting(time.Minute, StatusSucceeded, "") })
			time.Sleep(150 * time.Minute)
		})
		if n := len(w.ran("c")); n != blockedFrom+3 {
			t.Errorf("ran %d times once its owner has acted, want %v", n, blockedFrom+3)
		}
	})
}

// The run of another process that goes on is no run that ended, and no failure.
func TestALiveRunIsNoHistory(t *testing.T) {
	t.Parallel()
	runs := []storage.RunEnd{
		{RunID: "live", Status: storage.StatusRunning, StartedAt: clock("12:00")},
		{RunID: "r", Status: StatusSucceeded, StartedAt: clock("11:00"), FinishedAt: clock("11:10")},
	}
	if h := history(storage.ScheduleState{Runs: runs}, true); len(h) != 1 || h[0].RunID != "r" {
		t.Errorf(`history(storage.ScheduleState{Runs: runs}, true): got %+v, want len(h) == 1 && h[0].RunID == "r"`, h)
	}
	if h := history(storage.ScheduleState{Runs: runs}, false); len(h) != 2 || h[0].Status != StatusAbandoned || !h[0].FinishedAt.Equal(clock("12:00")) {
		t.Errorf(`its host is gone: %+v, want len(h) == 2 && h[0].Status == StatusAbandoned && h[0].FinishedAt.Equal(clock("12:00"))`, h)
	}
}

func TestHoldsEndWhenTheClockIsPutBack(t *testing.T) {
	t.Parallel()
	h := hold{clock("12:00"), clock("12:10")}
	for at, want := range map[string]bool{"11:59": false, "12:00": true, "12:09": true, "12:10": false} {
		if got := h.inForce(clock(at)); got != want {
			t.Errorf("%s: h.holds(clock(at)): got %v, want %v", at, got, want)
		}
	}
}

// However soon something is due, a moment passes between two passes.
func TestAMomentBetweenPasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		newWorld(t).scheduler().sleep(t.Context(), -time.Hour, false)
		check.Equal(t, time.Since(began), shortestWait, "time.Since(began)")
	})
}

// RT-23.1: a run that ended under its provider's pressure delays the next one, with
// one record of the reason; RT-17.1, RT-24.1: a run that stopped as planned does not.
func TestPressurePutsOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gap  Gap
		want int // runs in ten hours
	}{
		{Gap{Reason: abi.ReasonRateLimited, AttemptCount: 5}, 4},
		{Gap{Reason: abi.ReasonRetryExhausted, Class: abi.ReasonRunCapFetches, AttemptCount: 5}, 10},
		{Gap{Reason: abi.ReasonCircuitOpen, AttemptCount: 5}, 10},
	} {
		t.Run(string(c.gap.Reason), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				c.gap.LastAttemptAt = time.Now()
				w.press["c"] = Pressure{Gaps: []Gap{c.gap}}
				w.during(w.scheduler(), func() { time.Sleep(10*time.Hour - time.Minute) })
				at := w.ran("c")
				if len(at) != c.want {
					t.Errorf("%d runs: %s, want %v", len(at), at, c.want)
				}
				if skips := w.count(EventSkipped, ReasonCoolingDown); (skips == 1) != c.gap.arms() {
					t.Errorf("told %d times, want (skips == 1) == c.gap.arms()", skips)
				}
			})
		})
	}
}

// Told to stop, it starts nothing, ends what runs, and leaves what it cut short
// due at once for the next.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a", "b", "c")
		w.play = lasting(time.Hour, StatusSucceeded, "")
		w.during(w.scheduler(), func() { time.Sleep(5 * time.Minute) })
		if len(w.live) != 0 || len(w.starts) != 2 {
			t.Errorf("got %v, %v, want len(w.live) == 0 && len(w.starts) == 2", w.live, w.starts)
		}
		w.play = lasting(time.Minute, StatusSucceeded, "")
		w.during(w.scheduler(), func() { time.Sleep(5 * time.Minute) })
		if n := len(w.starts); n != 5 {
			t.Errorf("%d starts: %v, want 5", n, w.starts)
		}
	})
}

func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		free := make(chan struct{})
		w.play = func(*world, context.Context, Job) (storage.RunEnd, error) {
			<-free
			return storage.RunEnd{Status: StatusSucceeded}, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if err := w.scheduler().Run(ctx); abi.CodeOf(err) != abi.CodeInternal || time.Since(began) != time.Minute+StopWithin {
			t.Errorf("%v after %s, want abi.CodeOf(err) == abi.CodeInternal && time.Since(began) == time.Minute + StopWithin", err, time.Since(began))
		}
		close(free)
		synctest.Wait()
	})
}
