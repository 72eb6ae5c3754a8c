package schedule

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// fed says which connections a device feeds.
func fed(names ...string) func(*Deps) {
	return func(d *Deps) {
		d.OnDevice = func(_ context.Context, c storage.Connection) (bool, error) {
			return slices.Contains(names, c.Name), nil
		}
	}
}

// A connection that a device collects is not run here: not when it would be due, not
// to confirm, and not delayed either. Nothing is written about it: it has no schedule
// on this host, which may not even have its module.
func TestADevicesConnectionIsNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "here", "far", "owed", "odd")
		w.states["owed"].ConfirmOwed = time.Now()
		w.states["owed"].Schedule = storage.Schedule{PausedAt: time.Now().Add(-time.Hour), ResumedAt: time.Now().Add(-time.Minute)}
		w.press["far"] = Pressure{Run: &Gap{Reason: abi.ReasonUpstreamPressure, LastAttemptAt: time.Now()}}
		delete(w.policy, "odd")
		s := w.scheduler(fed("far", "owed", "odd"))
		w.during(s, func() { time.Sleep(49 * time.Hour); synctest.Wait() })
		if n := len(w.ran("here")); n < 40 {
			t.Errorf("the other one ran %d times, want n >= 40", n)
		}
		for _, name := range []string{"far", "owed", "odd"} {
			if at := w.ran(name); len(at) != 0 {
				t.Errorf("%s ran at %v, want 0", name, at)
			}
			st := w.states[name]
			if len(st.Dispatches) != 0 || st.Adopted || st.Due != (storage.Due{}) {
				t.Errorf("of %s is kept %+v, want len(st.Dispatches) == 0 && !st.Adopted && st.Due == (storage.Due{})", name, st)
			}
			l, err := s.Look(t.Context(), storage.Connection{ID: name, Name: name})
			if err != nil || l.Reason != ReasonOnDevice || !l.At.IsZero() || l.Started {
				t.Errorf("a look at %s: %+v, %v, want no error && l.Reason == ReasonOnDevice && l.At.IsZero() && !l.Started", name, l, err)
			}
		}
		if until, err := s.PutOff(t.Context(), storage.Connection{ID: "far", Name: "far"}); err != nil || !until.IsZero() || len(w.states["far"].Dispatches) != 0 {
			t.Errorf(`put off until %s, %v, want no error && until.IsZero() && len(w.states["far"].Dispatches) == 0`, until, err)
		}
		looked, err := w.scheduler(fed("far", "owed", "odd")).Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range looked[1:] {
			if l.Started || l.Reason != ReasonOnDevice || l.Err != nil {
				t.Errorf("got %+v, want !l.Started && l.Reason == ReasonOnDevice && l.Err == nil", l)
			}
		}
	})
}

// A store that cannot say so is a store that fails: nothing is run meanwhile.
func TestNobodyKnowsWhoFeedsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a")
		s := w.scheduler(func(d *Deps) {
			d.OnDevice = func(context.Context, storage.Connection) (bool, error) { return false, errBroken }
		})
		if _, err := s.Once(t.Context()); err == nil || len(w.starts) != 0 {
			t.Errorf("s.Once(t.Context()): got %+v, %+v, want err != nil && len(w.starts) == 0", err, w.starts)
		}
	})
}
