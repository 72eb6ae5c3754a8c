package schedule

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage"
)

// ranBefore gives a connection a run that ended just now.
func ranBefore(w *world, name, status, hint string) {
	code := ""
	if status == StatusFailed {
		code = "demo_x"
	}
	w.states[name].Runs = []storage.RunEnd{{
		RunID: "by-hand", Number: 1, Status: status, Code: code, RecoveryHint: hint, StartedAt: time.Now(), FinishedAt: time.Now(),
	}}
}

// After a run by hand that leaves source pressure, what is kept, a look and a
// pass name one instant, whatever jitter the due time has; the pass tells of it
// before the run would be due.
func TestACooldownHasOneEnd(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]time.Duration{"computed": 0, "the provider's is earlier": 10 * time.Minute, "the provider's is later": 3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				ranBefore(w, "c", StatusSucceeded, "")
				want := time.Now().Add(max(time.Hour, named))
				w.press["c"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now(), NextAttemptAfter: time.Now().Add(named)}}
				s, c := w.scheduler(), storage.Connection{ID: "c", Name: "c"}
				until, err := s.PutOff(t.Context(), c)
				if err != nil || !until.Equal(want) {
					t.Fatalf("got %+v, %+v, want no error && until.Equal(want)", until, err)
				}
				d := w.states["c"].Dispatches
				if len(d) != 1 || d[0].Status != "skipped" || d[0].Reason != string(ReasonCoolingDown) || d[0].Holds != stored.HeldUntil || !d[0].Until.Equal(want) {
					t.Fatalf(`got %+v, want len(d) == 1 && d[0].Status == "skipped" && d[0].Reason == string(ReasonCoolingDown) && d[0].Holds == health.HeldUntil && d[0].Until.Equal(want)`, d)
				}
				looked, err := s.Look(t.Context(), c)
				if err != nil || looked.Reason != ReasonCoolingDown || !looked.At.Equal(want) {
					t.Errorf("got %+v, %v, want no error && looked.Reason == ReasonCoolingDown && looked.At.Equal(want)", looked, err)
				}
				once, err := w.scheduler().Once(t.Context())
				if err != nil || once[0].Reason != ReasonCoolingDown || !once[0].At.Equal(want) {
					t.Errorf("got %+v, %v, want no error && once[0].Reason == ReasonCoolingDown && once[0].At.Equal(want)", once, err)
				}
				if d := w.states["c"].Dispatches; len(d) != 1 || d[0].Count != 2 {
					t.Errorf("a pass keeps it as another one: %+v, want len(d) == 1 && d[0].Count == 2", d)
				}
			})
		})
	}
}

// Without pressure nothing is kept. A connection that is due long after its
// cooldown is simply not due.
func TestNothingIsPutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "well", "daily")
		ranBefore(w, "well", StatusSucceeded, "")
		ranBefore(w, "daily", StatusSucceeded, "")
		w.policy["daily"] = policy("automatic", every(24*time.Hour))
		w.press["daily"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now()}}
		s := w.scheduler()
		if until, err := s.PutOff(t.Context(), storage.Connection{ID: "well", Name: "well"}); err != nil || !until.IsZero() || w.writes != 0 {
			t.Errorf(`s.PutOff(t.Context(), storage.Connection{ID: "well", Name: "well"}): got %+v, %+v, %+v, want no error && until.IsZero() && w.writes == 0`, until, err, w.writes)
		}
		once, err := s.Once(t.Context())
		if err != nil || once[1].Reason != ReasonNotDue || time.Until(once[1].At) < 24*time.Hour {
			t.Errorf("got %+v, %v, want no error && once[1].Reason == ReasonNotDue && time.Until(once[1].At) >= 24 * time.Hour", once, err)
		}
	})
}

// An owner's decision about a connection, or a pending action, is reported long before
// the connection is due.
func TestAnObstacleIsToldBeforeItIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "rejected", "missing", "paused", "mine")
		ranBefore(w, "rejected", StatusFailed, "refresh_credentials")
		ranBefore(w, "paused", StatusSucceeded, "")
		w.states["paused"].Schedule.Paused = true
		ranBefore(w, "mine", StatusSucceeded, "")
		w.states["mine"].Schedule.Mode = string(ByHand)
		w.press["mine"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now()}}
		w.play = refusing("credential.missing")
		s := w.scheduler()
		if _, err := s.PutOff(t.Context(), storage.Connection{ID: "mine", Name: "mine"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		once, err := w.scheduler().Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []Reason{ReasonAttention, ReasonAttention, ReasonPaused, ReasonManual} {
			if once[i].Reason != want || !once[i].At.IsZero() {
				t.Errorf("got %+v, want once[i].Reason == want && once[i].At.IsZero()", once[i])
			}
		}
		// The record that says more stays the newest: which refusal it was, and
		// until when the source is left alone.
		if d := w.states["missing"].Dispatches; len(d) != 1 || d[0].Reason != "credential.missing" || d[0].Holds != stored.HeldForOwner {
			t.Errorf(`w.states["missing"].Dispatches: got %+v, want len(d) == 1 && d[0].Reason == "credential.missing" && d[0].Holds == health.HeldForOwner`, d)
		}
		if d := w.states["mine"].Dispatches; len(d) != 1 || d[0].Holds != stored.HeldUntil {
			t.Errorf(`w.states["mine"].Dispatches: got %+v, want len(d) == 1 && d[0].Holds == health.HeldUntil`, d)
		}
	})
}

// A look sees what the next pass will: a credential that was stored since ends
// the wait.
func TestALookSeesANewCredential(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		ranBefore(w, "c", StatusFailed, "refresh_credentials")
		s, c := w.scheduler(), storage.Connection{ID: "c", Name: "c"}
		if l, err := s.Look(t.Context(), c); err != nil || l.Reason != ReasonAttention {
			t.Errorf("got %+v, %v, want no error && l.Reason == ReasonAttention", l, err)
		}
		time.Sleep(time.Minute)
		w.probed["c"], w.stored = true, time.Now()
		if l, err := s.Look(t.Context(), c); err != nil || l.Reason != "" || !l.At.Equal(time.Now()) || w.writes != 0 {
			t.Errorf(`%+v, %v, %d writes, want no error && l.Reason == "" && l.At.Equal(time.Now()) && w.writes == 0`, l, err, w.writes)
		}
	})
}

// An owner's action is reported with its effect: a resume is no cure, and starts
// nothing while the source is left alone or a credential is refused.
func TestWhatTheOwnerDidIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    func(w *world)
		healed Healed
		reason Reason
	}{
		"resumed": {func(w *world) { ranBefore(w, "c", StatusSucceeded, "") }, HealedPause, ""},
		"resumed in a cooldown": {func(w *world) {
			ranBefore(w, "c", StatusSucceeded, "")
			w.press["c"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now()}}
		}, HealedPause, ReasonCoolingDown},
		"resumed, and refused": {func(w *world) { ranBefore(w, "c", StatusFailed, "refresh_credentials") }, HealedPause, ReasonAttention},
		"resumed, and another credential": {func(w *world) {
			ranBefore(w, "c", StatusFailed, "refresh_credentials")
			w.probed["c"], w.stored = true, time.Now().Add(time.Second)
		}, Healed(BadCredentials), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				w.claims = map[string]bool{}
				c.set(w)
				w.states["c"].Schedule.PausedAt, w.states["c"].Schedule.ResumedAt = time.Now().Add(-time.Hour), time.Now()
				time.Sleep(time.Minute)
				if _, err := w.scheduler().Once(context.WithoutCancel(t.Context())); err != nil {
					t.Fatal(err)
				}
				var told []Event
				for _, e := range w.events {
					if e.Kind == EventHealed {
						told = append(told, e)
					}
				}
				if len(told) != 1 || told[0].Healed != c.healed || told[0].Reason != c.reason || (c.reason == ReasonCoolingDown) == told[0].Until.IsZero() {
					t.Errorf("got %+v, want len(told) == 1 && told[0].Healed == c.healed && told[0].Reason == c.reason && (c.reason == ReasonCoolingDown) != told[0].Until.IsZero()", told)
				}
				if n := len(w.ran("c")); (n == 1) != (c.reason == "") {
					t.Errorf("ran %d times, want %v", n, (c.reason == ""))
				}
			})
		})
	}
}

// A refusal that only the owner can resolve is held for the owner from the first one
// on, and retried nevertheless, at the back-off, whose own record does not replace the
// refusal's. A run that begins ends it. A refusal that may pass is held for nobody.
func TestARefusalIsHeldForTheOwner(t *testing.T) {
	t.Parallel()
	for code, held := range map[abi.Code]bool{
		abi.CodeUsage: true, abi.CodeOriginChanged: true, "send.base_url_invalid": true, abi.CodePluginInvalid: true, "egress.host_refused": true,
		abi.CodeWorkerStart: false, abi.CodeInternal: false, "": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "c")
			w.play = refusing(code)
			w.during(w.scheduler(), func() { time.Sleep(3*time.Hour + 10*time.Minute) })
			tried := len(w.ran("c"))
			d := w.states["c"].Dispatches
			if len(d) == 0 || tried < 3 || tried > 6 {
				t.Fatalf("%s: tried %d times, %+v, want len(d) != 0 && tried >= 3 && tried <= 6", code, tried, d)
			}
			if held != (d[0].Status == StatusRefused && d[0].Holds == stored.HeldForOwner) {
				t.Errorf("%s: held: got %+v, want %v", code, d[0], (d[0].Status == StatusRefused && d[0].Holds == stored.HeldForOwner))
			}
			w.change(func() { w.play = lasting(time.Minute, StatusSucceeded, "") })
			w.during(w.scheduler(), func() { time.Sleep(25 * time.Hour) })
			if len(w.states["c"].Runs) == 0 {
				t.Errorf(`%s: it was not tried again, want len(w.states["c"].Runs) != 0`, code)
			}
		})
	}
}
