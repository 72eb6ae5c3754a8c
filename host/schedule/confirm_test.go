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

// HL-26: a confirming run that the scheduler's own end cuts short is begun again by
// the next one, also where nothing else would start it.
func TestAConfirmingRunThatIsCutShortComesAgain(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(w *world){
		"by hand":  func(w *world) { w.policy["c"] = policy("manual") },
		"given up": func(*world) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				set(w)
				for i := range blockedFrom {
					at := time.Now().Add(-time.Duration(i+1) * 30 * time.Hour)
					w.states["c"].Runs = append(w.states["c"].Runs, storage.RunEnd{
						RunID: "r", Number: int64(blockedFrom - i), Status: StatusFailed, Reason: string(abi.ReasonConnectorReportedFailed), Code: "demo_auth_failed",
						RecoveryHint: "refresh_credentials", StartedAt: at, FinishedAt: at,
					})
				}
				w.play = lasting(time.Hour, StatusSucceeded, "")
				w.change(func() { w.probed["c"], w.stored = true, time.Now() })
				for range 3 {
					w.during(w.scheduler(), func() { time.Sleep(5 * time.Minute) })
					time.Sleep(time.Minute)
				}
				w.during(w.scheduler(), func() { time.Sleep(62 * time.Minute) })
				got := triggers(w, "c")
				if len(got) < 4 {
					t.Fatalf("started for %v, want len(got) >= 4", got)
				}
				for _, by := range got[:4] {
					if by != Confirming {
						t.Errorf("started for %v, want %v", got, Confirming)
					}
				}
				if last := w.states["c"].Runs[0].Status; last != StatusSucceeded {
					t.Errorf("the last one %s, want %v", last, StatusSucceeded)
				}
			})
		})
	}
}

// HL-26: what the owner did starts exactly one run, also when that fails in a way
// that may pass; and a pass tells of each run that it made.
func TestOneConfirmingRunIsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c", "due")
		w.policy["c"] = policy("manual")
		ranBefore(w, "c", StatusFailed, "refresh_credentials")
		time.Sleep(time.Minute)
		w.probed["c"], w.stored = true, time.Now()
		w.play = lasting(time.Second, StatusFailed, "demo_hiccup")
		looked, err := w.scheduler().Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(w.ran("c")); n != 1 || looked[0].Runs != 1 {
			t.Errorf("%d runs confirm it, %d are told, want n == 1 && looked[0].Runs == 1", n, looked[0].Runs)
		}
		if n := len(w.ran("due")); n != 1+RetriesInDispatch || looked[1].Runs != n {
			t.Errorf("%d runs, %d are told, want n == 1 + RetriesInDispatch && looked[1].Runs == n", n, looked[1].Runs)
		}
	})
}

// A folder that is put right while its connection is paused is not waited for any
// more, and confirmed by one run once the pause ends.
func TestAPauseHidesNothing(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *storage.Schedule, stopped bool){
		"paused":  func(s *storage.Schedule, stopped bool) { s.Paused, s.PausedAt = stopped, time.Now() },
		"by hand": func(s *storage.Schedule, stopped bool) { s.Mode = map[bool]string{true: string(ByHand)}[stopped] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				ranBefore(w, "c", StatusSucceeded, "")
				w.play = refusing(abi.CodeRootMissing)
				time.Sleep(2 * time.Hour)
				held := func(want bool, when string) {
					t.Helper()
					if by := w.held("c"); (by != nil) != want || want && by.Reason != string(abi.CodeRootMissing) {
						t.Errorf("%s: held by %+v, want (by != nil) == want && (!want || by.Reason == string(abi.CodeRootMissing))", when, by)
					}
				}
				s := w.scheduler()
				once := func() {
					t.Helper()
					time.Sleep(time.Minute)
					if _, err := s.Once(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				once()
				held(true, "refused")
				stop(&w.states["c"].Schedule, true)
				once()
				held(true, "stopped")
				stop(&w.states["c"].Schedule, false)
				once()
				held(true, "it goes on")
				stop(&w.states["c"].Schedule, true)
				once()
				w.probed["c"], w.play = true, lasting(time.Second, StatusSucceeded, "")
				once()
				held(false, "put right")
				stop(&w.states["c"].Schedule, false)
				once()
				if got := triggers(w, "c"); len(got) != 2 || got[1] != Confirming {
					t.Errorf("started for %v, want len(got) == 2 && got[1] == Confirming", got)
				}
			})
		})
	}
}

// An owner who has signed in at a site herself, with a command of another process, is waited for no
// longer: one run confirms it. A schedule that is resumed is no sign-in, and where nothing waited
// nothing is run (BR-13.5, HL-26).
func TestSignedInByHand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hint string
		put  func(ctx context.Context, w *world) error
		want int
	}{
		"signed in behind a password that was sent": {"manual_action_required", byHand, 1},
		"signed in behind a rejection":              {"refresh_credentials", byHand, 1},
		"signed in where nothing waited":            {"", byHand, 0},
		"signed in behind a host that was killed": {"manual_action_required", func(ctx context.Context, w *world) error {
			err := byHand(ctx, w)
			time.Sleep(time.Minute)
			r := &w.states["c"].Runs[0] // the next host notes that it is over
			r.Status, r.Code, r.FinishedAt = StatusAbandoned, string(abi.CodeInterrupted), time.Now()
			return err
		}, 1},
		"signed in, and resumed": {"manual_action_required", func(ctx context.Context, w *world) error {
			err := byHand(ctx, w)
			time.Sleep(time.Second)
			_, claimed := w.ClaimConfirmation(ctx, "c", "reattach_schedule|x||1", "1")
			return errors.Join(err, claimed)
		}, 1},
		"resumed, and signed in where nothing waited": {"", func(ctx context.Context, w *world) error {
			_, err := w.ClaimConfirmation(ctx, "c", "reattach_schedule|x||1", "1")
			time.Sleep(time.Second)
			return errors.Join(err, byHand(ctx, w))
		}, 1},
		"another claim": {"manual_action_required", func(ctx context.Context, w *world) error {
			_, err := w.ClaimConfirmation(ctx, "c", "reattach_schedule|x||1", "1")
			return err
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				status := StatusFailed
				if c.hint == "" {
					status = StatusSucceeded
				}
				w.policy["c"] = policy("manual")
				ranBefore(w, "c", status, c.hint)
				time.Sleep(time.Minute)
				s := w.scheduler()
				for range 2 {
					if _, err := s.Once(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if got := w.ran("c"); len(got) != 0 {
					t.Fatalf("before: got %d runs, want none", len(got))
				}
				if err := c.put(t.Context(), w); err != nil {
					t.Fatal(err)
				}
				w.play = lasting(time.Second, StatusFailed, "demo_again")
				for range 3 {
					time.Sleep(time.Hour)
					if _, err := s.Once(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if got := triggers(w, "c"); len(got) != c.want || len(got) > 0 && got[0] != Confirming {
					t.Errorf("got %+v, want %d confirming runs", got, c.want)
				}
			})
		})
	}
}

func byHand(ctx context.Context, w *world) error { return SignedIn(ctx, w, "c", time.Now()) }

// A credential that is there again puts nothing else right.
func TestSignedInAgainIsNoFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = refusing(abi.CodeUsage)
		s := w.scheduler()
		for range 2 {
			if _, err := s.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			w.states["c"].SignedOut, w.states["c"].Schedule.Paused = time.Now(), true
			w.probed["c"], w.stored = true, time.Now().Add(time.Second)
		}
		if by := w.held("c"); by == nil || by.Reason != string(abi.CodeUsage) {
			t.Errorf("held by %+v, want by != nil && by.Reason == string(abi.CodeUsage)", by)
		}
	})
}

// A source that asked for less does not hide what waits for the owner: the setting
// that was refused.
func TestACooldownHidesNoRefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = refusing(abi.CodeUsage)
		s := w.scheduler()
		if _, err := s.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.press["c"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now()}}
		once, err := s.Once(t.Context())
		if err != nil || once[0].Reason != ReasonCoolingDown || !once[0].Waits || once[0].Says != "refused" {
			t.Errorf(`got %+v, %v, want no error && once[0].Reason == ReasonCoolingDown && once[0].Waits && once[0].Says == "refused"`, once, err)
		}
		if by := w.held("c"); by == nil || by.Reason != string(abi.CodeUsage) {
			t.Errorf("held by %+v, want by != nil && by.Reason == string(abi.CodeUsage)", by)
		}
	})
}

// The end of a cooldown, or of a back-off, is reported as it is now, not as it was at
// the beginning.
func TestAnotherEndIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		ranBefore(w, "c", StatusSucceeded, "")
		began := time.Now()
		w.press["c"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: began}}
		w.during(w.scheduler(), func() {
			time.Sleep(2 * time.Minute)
			w.change(func() { w.states["c"].Schedule.Mode, w.states["c"].Schedule.Every = string(Automatic), 5*time.Hour })
			time.Sleep(10 * time.Minute)
		})
		d := w.states["c"].Dispatches
		if len(d) != 1 || !d[0].Until.Equal(began.Add(5*time.Hour)) || d[0].Count != 2 {
			t.Errorf("got %+v, want len(d) == 1 && d[0].Until.Equal(began.Add(5 * time.Hour)) && d[0].Count == 2", d)
		}
		if n := w.count(EventSkipped, ReasonCoolingDown); n != 1 {
			t.Errorf("told %d times, want 1", n)
		}
	})
}

// HL-21.1: a module that is missing before the first run is its owner's to put
// there, which is kept once, with what is missing; it hides no older refusal of the
// kind, and its return is confirmed by one run.
func TestAModuleThatNeverWas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c", "paused", "broken")
		known := w.policy["c"]
		w.policy = map[string]*abi.RefreshPolicy{}
		w.states["paused"].Schedule.Paused = true
		s := w.scheduler(func(d *Deps) {
			asked := d.Policy
			d.Policy = func(ctx context.Context, c storage.Connection) (*abi.RefreshPolicy, error) {
				if c.Name == "broken" {
					return nil, abi.NewError(abi.CodeWorkerStart, "no process", "")
				}
				return asked(ctx, c)
			}
		})
		w.during(s, func() {
			time.Sleep(10 * time.Minute)
			w.mu.Lock()
			d := w.states["c"].Dispatches
			if len(d) != 1 || d[0].Count != 1 || d[0].Reason != string(abi.CodePluginUnknown) || d[0].Says != "no module" {
				t.Errorf(`got %+v, want len(d) == 1 && d[0].Count == 1 && d[0].Reason == string(abi.CodePluginUnknown) && d[0].Says == "no module"`, d)
			}
			if by := w.held("c"); by == nil || by.Reason != string(abi.CodePluginUnknown) {
				t.Errorf("held by %+v, want by != nil && by.Reason == string(abi.CodePluginUnknown)", by)
			}
			for _, name := range []string{"paused", "broken"} {
				if by := w.held(name); by != nil {
					t.Errorf("%s is held by %+v, want by == nil", name, by)
				}
			}
			if d := w.states["paused"].Dispatches; len(d) != 1 || d[0].Reason != string(ReasonPaused) {
				t.Errorf(`w.states["paused"].Dispatches: got %+v, want len(d) == 1 && d[0].Reason == string(ReasonPaused)`, d)
			}
			w.mu.Unlock()
			if n := w.count(EventRefused, ""); n != 1 {
				t.Errorf("told %d times, want 1", n)
			}
			w.change(func() { w.policy["c"], w.probed["c"] = known, true })
			time.Sleep(10 * time.Minute)
		})
		if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
			t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
		}
	})
}

// A connection that cannot be judged keeps what holds it.
func TestWhatCannotBeJudgedStaysHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = refusing(abi.CodeRootMissing)
		s := w.scheduler()
		for range 2 {
			if _, err := s.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			delete(w.policy, "c")
		}
		if by := w.held("c"); by == nil || by.Holds != "owner" {
			t.Errorf(`held by %+v, want by != nil && by.Holds == "owner"`, by)
		}
	})
}

// An action that the owner has to take is reported by every pass, not only the first;
// a connection that its owner has stopped, or runs, waits for nobody.
func TestWhoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "folder", "option", "rejected", "given up", "well", "paused", "mine", "cooling")
		for _, n := range []string{"rejected", "paused", "mine"} {
			ranBefore(w, n, StatusFailed, "refresh_credentials")
		}
		ranBefore(w, "well", StatusSucceeded, "")
		ranBefore(w, "cooling", StatusSucceeded, "")
		w.press["cooling"] = Pressure{Run: &Gap{Reason: abi.ReasonRateLimited, LastAttemptAt: time.Now()}}
		for i := range blockedFrom {
			at := time.Now().Add(-time.Duration(i+1) * 30 * time.Hour)
			w.states["given up"].Runs = append(w.states["given up"].Runs, storage.RunEnd{RunID: "r", Number: int64(9 - i), Status: StatusFailed, StartedAt: at, FinishedAt: at})
		}
		w.states["paused"].Schedule.Paused = true
		w.states["mine"].Schedule.Mode = string(ByHand)
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Connection.Name == "option" {
				return refusing(abi.CodeUsage)(w, ctx, j)
			}
			return refusing(abi.CodeRootMissing)(w, ctx, j)
		}
		if _, err := w.scheduler().Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			looked, err := w.scheduler().Once(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []bool{true, true, true, true, false, false, false, false} {
				if l := looked[i]; l.Waits != want || l.Started {
					t.Errorf("looked[i]: got %+v, want l.Waits == want && !l.Started", l)
				}
			}
		}
	})
}

// A refusal within a dispatch comes after the run that the dispatch made before it,
// and is kept.
func TestARefusalAfterARunIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Attempt > 0 {
				return refusing(abi.CodeRootMissing)(w, ctx, j)
			}
			return lasting(time.Second, StatusFailed, "demo_hiccup")(w, ctx, j)
		}
		looked, err := w.scheduler().Once(t.Context())
		if err != nil || looked[0].Runs != 1 || abi.CodeOf(looked[0].Err) != abi.CodeRootMissing {
			t.Errorf("got %+v, %v, want no error && looked[0].Runs == 1 && abi.CodeOf(looked[0].Err) == abi.CodeRootMissing", looked, err)
		}
		if by := w.held("c"); by == nil || by.Identity != "run1" || by.AfterRun != 1 {
			t.Errorf(`held by %+v, want by != nil && by.Identity == "run1" && by.AfterRun == 1`, by)
		}
	})
}

// HL-26.1: what an owner puts right while the scheduler waits is confirmed at once where it is
// woken, and not when it would have looked by itself.
func TestAWokenSchedulerConfirmsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.policy["c"] = policy("manual")
		ranBefore(w, "c", StatusFailed, "refresh_credentials")
		s := w.scheduler()
		w.during(s, func() {
			time.Sleep(10*time.Minute + 10*time.Second)
			w.change(func() { w.probed["c"], w.stored = true, time.Now() })
			s.Wake()
			synctest.Wait()
			if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
				t.Errorf("started for %v, want one run for %v", got, Confirming)
			}
			time.Sleep(time.Hour)
		})
		if got := triggers(w, "c"); len(got) != 1 {
			t.Errorf("started for %v, want one run", got)
		}
	})
}
