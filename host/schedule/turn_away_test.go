package schedule

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A fault of the machine starts and writes nothing: each connection that would have run is told
// of once a pass. Once it is gone they run at the next pass, since nothing of it counts against
// them.
func TestAFaultOfTheMachineTurnsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a", "b", "paused")
		w.states["paused"].Schedule.Paused = true
		fault := abi.NewError(abi.CodeStoreFull, "no space left for the store", "")
		full, away := true, map[string]int{}
		s := w.scheduler(func(d *Deps) {
			d.Refuses = func() error {
				w.mu.Lock()
				defer w.mu.Unlock()
				if full {
					return fault
				}
				return nil
			}
			d.TurnedAway = func(_ context.Context, c storage.Connection, trigger Trigger, why error) {
				if trigger != Scheduled || !errors.Is(why, fault) {
					t.Errorf("%s: got %s, %v, want the fault", c.Name, trigger, why)
				}
				w.change(func() { away[c.Name]++ })
			}
		})
		w.during(s, func() {
			time.Sleep(time.Hour - time.Second)
			synctest.Wait()
			if len(w.starts) > 0 || w.writes > 0 || len(w.adopted) > 0 || len(away) != 2 || away["a"] != 60 || away["b"] != 60 {
				t.Errorf("got %d runs, %d writes, turned away %v, want neither, and a and b once a minute", len(w.starts), w.writes, away)
			}
			w.change(func() { full = false })
			time.Sleep(2 * time.Minute)
			if len(w.ran("a")) != 1 || len(w.ran("b")) != 1 {
				t.Errorf("got %v, want a run of each once the fault was gone", w.starts)
			}
		})
	})
}

// A run that the machine refuses while it begins is turned away, too, and never backs off.
func TestARefusalOfTheMachineIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, code := range []abi.Code{abi.CodeStoreFull, abi.CodeStoreUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "a")
			w.play = refusing(code)
			away := 0
			s := w.scheduler(func(d *Deps) {
				d.TurnedAway = func(context.Context, storage.Connection, Trigger, error) { away++ }
			})
			w.during(s, func() {
				time.Sleep(time.Hour)
				synctest.Wait()
				if kept := w.states["a"].Dispatches; away < 45 || len(kept) > 0 {
					t.Errorf("got it turned away %d times, and %v kept, want once a pass and nothing against it", away, kept)
				}
				w.change(func() { w.play = lasting(time.Minute, StatusSucceeded, "") })
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				if got := w.states["a"].Runs; len(got) != 1 {
					t.Errorf("got the runs %v, want one", got)
				}
			})
		})
	}
}
