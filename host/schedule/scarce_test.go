package schedule

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// No more runs begin than have what they need, also beside one that waits for its owner, and
// they hold up no other (browser.max).
func TestScarceThingsBoundRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "b1", "b2", "b3", "c1", "c2")
		w.play = lasting(10*time.Minute, StatusSucceeded, "")
		most := 0
		s := w.scheduler(func(d *Deps) {
			d.Workers = 5
			d.Scarce = func(c storage.Connection) (string, int) {
				if !strings.HasPrefix(c.Name, "b") {
					return "", 0
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				n := 0
				for name := range w.live {
					if strings.HasPrefix(name, "b") {
						n++
					}
				}
				most = max(most, n)
				return "browser", 1
			}
		})
		w.during(s, func() {
			time.Sleep(5 * time.Minute)
			if got := len(w.ran("c1")) + len(w.ran("c2")); got != 2 {
				t.Errorf("got %d runs beside the one that has the browser, want 2", got)
			}
			time.Sleep(50 * time.Minute)
		})
		if got := len(w.ran("b1")) + len(w.ran("b2")) + len(w.ran("b3")); most != 1 || got != 3 {
			t.Errorf("got %d at once in %d runs, want one at a time, and 3", most, got)
		}
	})
}

// A pass that is made once waits for what is scarce, and leaves nothing out.
func TestOnceWaitsForScarceThings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "b1", "b2", "b3")
		s := w.scheduler(func(d *Deps) {
			d.Workers = 5
			d.Scarce = func(storage.Connection) (string, int) { return "browser", 1 }
		})
		if _, err := s.Once(t.Context()); err != nil || w.most != 1 || len(w.starts) != 3 {
			t.Errorf("got %v, %d at once, %d runs, want one at a time, and 3", err, w.most, len(w.starts))
		}
	})
}

// A pass that is made once begins everything that has what it needs, also where an earlier one of
// its connections waits for what is scarce.
func TestOnceHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "b1", "b2", "c1", "c2")
		w.play = lasting(time.Hour, StatusSucceeded, "")
		began := time.Now()
		s := w.scheduler(func(d *Deps) {
			d.Workers = 5
			d.Scarce = func(c storage.Connection) (string, int) {
				if strings.HasPrefix(c.Name, "b") {
					return "browser", 1
				}
				return "", 0
			}
		})
		looked, err := s.Once(t.Context())
		if err != nil || len(looked) != 4 || len(w.starts) != 4 {
			t.Fatalf("got %+v, %v, %d runs, want four", looked, err, len(w.starts))
		}
		for name, want := range map[string]time.Duration{"b1": 0, "b2": time.Hour, "c1": 0, "c2": 0} {
			if got := w.ran(name)[0].Sub(began).Truncate(time.Minute); got != want {
				t.Errorf("%s: got it begun after %s, want %s", name, got, want)
			}
		}
	})
}
