package schedule

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage"
)

// HL-26.1: a credential that was taken away is waited for before any run has failed,
// without a hold of the scheduler's own, and one run confirms that it is back.
func TestASignedOutConnectionWaits(t *testing.T) {
	t.Parallel()
	for _, p := range []*abi.RefreshPolicy{policy("automatic", every(time.Hour)), policy("manual")} {
		t.Run(p.RecommendedMode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				w.policy["c"] = p
				ranBefore(w, "c", StatusSucceeded, "")
				w.states["c"].SignedOut = time.Now()
				played := w.play
				w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
					end, err := played(w, ctx, j)
					w.change(func() { w.states["c"].SignedOut = time.Time{} }) // a run has told
					return end, err
				}
				w.during(w.scheduler(), func() {
					time.Sleep(5 * time.Hour)
					if n := len(w.ran("c")); n != 0 {
						t.Errorf("ran %d times without its credential, want 0", n)
					}
					w.change(func() { w.probed["c"], w.stored = true, time.Now() })
					time.Sleep(10 * time.Minute)
					if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
						t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
					}
				})
				for _, d := range w.states["c"].Dispatches {
					if d.Holds != "" {
						t.Errorf(`held by the scheduler: %+v, want ""`, d)
					}
				}
				if n := w.count(EventHealed, ""); n != 1 {
					t.Errorf("told %d times, want 1", n)
				}
			})
		})
	}
}

// The problem that a run would meet first is reported first, and a refusal's words are
// kept even if a credential was removed as well.
func TestARefusalStandsBesideASignOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = refusing(abi.CodeRootMissing)
		if _, err := w.scheduler().Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.states["c"].SignedOut = time.Now()
		once, err := w.scheduler().Once(t.Context())
		if err != nil || once[0].Reason != ReasonNotReady || once[0].Says != "refused" {
			t.Errorf(`got %+v, %v, want no error && once[0].Reason == ReasonNotReady && once[0].Says == "refused"`, once, err)
		}
		if d := w.states["c"].Dispatches; len(d) != 1 || d[0].Says != "refused" || d[0].Holds != stored.HeldForOwner {
			t.Errorf(`w.states["c"].Dispatches: got %+v, want len(d) == 1 && d[0].Says == "refused" && d[0].Holds == health.HeldForOwner`, d)
		}
	})
}

// A missing module is recorded once, long before the connection is due, and its return
// is confirmed by one run. A connection that its owner runs or has paused, that a
// device runs, or that already waits is not checked.
func TestWhatCouldNotBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c", "mine", "paused", "beside", "fed")
		for _, n := range w.names {
			ranBefore(w, n, StatusSucceeded, "")
		}
		w.states["mine"].Schedule.Mode = string(ByHand)
		w.states["paused"].Schedule.Paused = true
		w.rests["c"] = "a"
		there, looks := false, map[string]int{}
		s := w.scheduler(func(d *Deps) {
			d.OnDevice = func(_ context.Context, c storage.Connection) (bool, error) { return c.Name == "fed", nil }
			d.Ready = func(_ context.Context, c storage.Connection) error {
				w.mu.Lock()
				defer w.mu.Unlock()
				looks[c.Name]++
				if there || c.Name == "beside" {
					return nil
				}
				return abi.NewError(abi.CodePluginUnknown, "there is no "+c.Name, "put it there").WithDetail("/home/x")
			}
		})
		w.during(s, func() {
			time.Sleep(10 * time.Minute)
			var d []storage.Dispatch
			w.change(func() { d = slices.Clone(w.states["c"].Dispatches) })
			if len(d) != 1 || d[0].Status != StatusRefused || d[0].Count != 1 || d[0].Holds != stored.HeldForOwner || d[0].Says != "there is no c" || markOf(d[0].Identity) != "" {
				t.Errorf("records: got %+v, want one refusal that is held for the owner", d)
			}
			if n := len(w.ran("")); n != 0 {
				t.Errorf("%d runs, want 0", n)
			}
			w.change(func() { there, w.probed["c"] = true, true })
			time.Sleep(10 * time.Minute)
			if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
				t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
			}
		})
		if looks["mine"]+looks["paused"]+looks["fed"] != 0 || looks["beside"] == 0 || w.count(EventRefused, "") != 1 {
			t.Errorf(`looked at %v, told %d times, want looks["mine"] + looks["paused"] + looks["fed"] == 0 && looks["beside"] != 0 && w.count(EventRefused, "") == 1`, looks, w.count(EventRefused, ""))
		}
	})
}

// A refusal that is no obstacle, such as of a damaged module, is not written at
// every pass.
func TestTheSameRefusalIsKeptOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		ranBefore(w, "c", StatusSucceeded, "")
		s := w.scheduler(func(d *Deps) {
			d.Ready = func(context.Context, storage.Connection) error {
				return abi.NewError(abi.CodePluginInvalid, strings.Repeat("damaged ", 9), "")
			}
		})
		w.during(s, func() { time.Sleep(30 * time.Minute) })
		if d := w.states["c"].Dispatches; len(d) != 1 || d[0].Count != 1 {
			t.Errorf(`w.states["c"].Dispatches: got %+v, want len(d) == 1 && d[0].Count == 1`, d)
		}
	})
}
