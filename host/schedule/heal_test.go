package schedule

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// rejected plays a run that the provider turns away until the credential is the
// right one.
func rejected(right *bool) func(*world, context.Context, Job) (storage.RunEnd, error) {
	return func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
		w.mu.Lock()
		well := *right
		w.mu.Unlock()
		if well {
			return lasting(time.Minute, StatusSucceeded, "")(w, ctx, j)
		}
		end, err := lasting(time.Minute, StatusFailed, "demo_auth_failed")(w, ctx, j)
		end.RecoveryHint = "refresh_credentials"
		return end, err
	}
}

func triggers(w *world, name string) (all []Trigger) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.starts {
		if s.name == name {
			all = append(all, s.trigger)
		}
	}
	return all
}

// HL-26.1: when the owner has stored a credential after it was rejected, exactly
// one confirming run starts by itself, on the same connection, and the schedule
// goes on from there.
func TestAStoredCredentialIsConfirmedByOneRun(t *testing.T) {
	t.Parallel()
	for _, p := range []*abi.RefreshPolicy{policy("automatic", every(time.Hour)), policy("manual")} {
		t.Run(p.RecommendedMode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c", "beside")
				w.policy["c"] = p
				right := false
				w.play = rejected(&right)
				w.states["c"].Runs = []storage.RunEnd{{
					RunID: "r0", Status: StatusFailed, Reason: string(abi.ReasonConnectorReportedFailed), Code: "demo_auth_failed",
					RecoveryHint: "refresh_credentials", StartedAt: time.Now().Add(-2 * time.Hour), FinishedAt: time.Now().Add(-2 * time.Hour),
				}}
				w.during(w.scheduler(), func() {
					time.Sleep(3*time.Hour + 30*time.Minute)
					if n := len(w.ran("c")); n != 0 {
						t.Errorf("ran %d times with a credential that is known to be wrong, want 0", n)
					}
					w.change(func() { right, w.probed["c"], w.stored = true, true, time.Now() })
					time.Sleep(10 * time.Minute)
					if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
						t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
					}
					if n := w.count(EventHealed, ""); n != 1 {
						t.Errorf("told %d times, want 1", n)
					}
					time.Sleep(3 * time.Hour)
				})
				later := len(triggers(w, "c")) - 1
				if automatic := p.RecommendedMode == "automatic"; automatic != (later > 0) {
					t.Errorf("%d runs after it, want %v", later, (later > 0))
				}
			})
		})
	}
}

// A confirming run that was killed with its host is still owed; one that the
// owner ran by hand meanwhile has paid it.
func TestAConfirmingRunIsOwedUntilOneEnds(t *testing.T) {
	t.Parallel()
	at := func(status, began string) []Ended {
		return []Ended{{Status: status, StartedAt: clock(began), FinishedAt: clock(began)}}
	}
	interrupted := at(StatusCancelled, "12:01")
	interrupted[0].Code = string(abi.CodeInterrupted)
	for name, c := range map[string]struct {
		since   time.Time
		history []Ended
		want    bool
	}{
		"never owed":                              {time.Time{}, nil, false},
		"nothing ran since":                       {clock("12:00"), at(StatusFailed, "11:00"), true},
		"it was killed":                           {clock("12:00"), at(StatusAbandoned, "12:01"), true},
		"one ended":                               {clock("12:00"), at(StatusSucceeded, "12:01"), false},
		"one began in that instant":               {clock("12:00"), at(StatusFailed, "12:00"), false},
		"one was refused":                         {clock("12:00"), at(StatusRefused, "12:01"), false},
		"one was cancelled by hand":               {clock("12:00"), at(StatusCancelled, "12:01"), false},
		"by a clock that was put back":            {clock("13:01"), at(StatusSucceeded, "12:01"), false},
		"it was cut short":                        {clock("12:00"), interrupted, true},
		"one ended before the clock was put back": {clock("12:00"), at(StatusSucceeded, "13:01"), true},
		"a later one, then an early":              {clock("12:00"), append(at(StatusAbandoned, "12:02"), at(StatusFailed, "12:01")...), false},
	} {
		if got := stillOwed(c.since, c.history, clock("13:00")); got != c.want {
			t.Errorf(`%s: owed(c.since, c.history, clock("13:00")): got %v, want %v`, name, got, c.want)
		}
	}
}

// HL-26.2: a confirming run that fails in the same way is not repeated: the same
// obstacle remains, with a later time. Each further credential gets one run, up to the
// third failure; then the back-off bounds them.
func TestAnIdenticalFailureWaitsForItsOwnerAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		right := false
		w.play = rejected(&right)
		w.during(w.scheduler(), func() {
			time.Sleep(10 * time.Minute) // the first run, and it fails
			store := func() { w.change(func() { w.probed["c"], w.stored = true, time.Now() }) }
			for n := 2; n <= 3; n++ {
				store()
				time.Sleep(20 * time.Minute)
				if got := len(w.ran("c")); got != n {
					t.Errorf("credential %d: %d runs", n, got)
				}
			}
			// Now a credential every five minutes, each as wrong.
			for range 96 {
				store()
				time.Sleep(5 * time.Minute)
			}
		})
		if got := len(w.ran("c")); got < 5 || got > 7 {
			t.Errorf("a flapping credential started %d runs in eight hours, want got >= 5 && got <= 7", got)
		}
	})
}

// An obstacle with a folder or a module is confirmed once it is back; a resumed
// schedule is confirmed too.
func TestWhatIsBackIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, code := range []abi.Code{abi.CodeRootMissing, abi.CodePluginChanged} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				w.play = refusing(code)
				w.during(w.scheduler(), func() {
					time.Sleep(5 * time.Hour)
					if n := len(w.ran("c")); n != 1 || w.count(EventRefused, "") != 1 || len(w.states["c"].Dispatches) != 1 {
						t.Errorf(`started %d times without it, want n == 1 && w.count(EventRefused, "") == 1 && len(w.states["c"].Dispatches) == 1`, n)
					}
					w.change(func() { w.play, w.probed["c"] = lasting(time.Second, StatusSucceeded, ""), true })
					time.Sleep(30 * time.Minute)
				})
				if got := triggers(w, "c"); len(got) != 2 || got[1] != Confirming {
					t.Errorf("started for %v, want len(got) == 2 && got[1] == Confirming", got)
				}
			})
		})
	}
}

func TestAResumedScheduleIsConfirmed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c", "mine")
		w.policy["c"] = policy("automatic", every(24*time.Hour), func(p *abi.RefreshPolicy) { p.MinimumIntervalSeconds = new(int64(600)) })
		set := func(paused bool) {
			w.change(func() {
				for _, st := range w.states {
					st.Schedule.Paused = paused
					if paused {
						st.Schedule.PausedAt = time.Now()
					} else {
						st.Schedule.ResumedAt = time.Now()
					}
				}
				w.states["mine"].Schedule.Mode = "manual"
			})
		}
		set(true)
		w.play = lasting(time.Second, StatusSucceeded, "")
		w.during(w.scheduler(), func() {
			time.Sleep(time.Hour)
			set(false)
			time.Sleep(5 * time.Minute)
			if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
				t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
			}
			// Paused and resumed again and again: the minimum interval bounds it.
			for range 20 {
				set(true)
				time.Sleep(90 * time.Second)
				set(false)
				time.Sleep(90 * time.Second)
			}
		})
		if n := len(w.ran("c")); n > 8 {
			t.Errorf("started %d times, want n <= 8", n)
		}
		if n := len(w.ran("mine")); n != 0 {
			t.Errorf("one that its owner runs by hand was started %d times, want 0", n)
		}
	})
}

// However many look at once, and in however many processes: one confirming run
// is owed for what the owner did, and one is started.
func TestManyWatchersOweOneRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	var stores []*storage.Store
	for range 2 {
		s, err := storage.Open(t.Context(), storage.Options{Path: path, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		stores = append(stores, s)
	}
	c, err := stores[0].EnsureConnection(t.Context(), "c", "demo")
	if err != nil {
		t.Fatal(err)
	}
	o := Obstacle{Kind: BadCredentials, Code: "demo_auth_failed", Since: clock("12:00")}
	watched := func(version string, since time.Time) []Watched {
		return []Watched{{Action: o.Action(), Since: since, Evidence: gone(o, true), Version: version}}
	}
	all := func(w []Watched) int64 {
		var owed atomic.Int64
		var looking sync.WaitGroup
		for i := range 64 {
			looking.Go(func() {
				n, err := Heal(t.Context(), stores[i%2], c.ID, w)
				if err != nil {
					t.Error(err)
				}
				owed.Add(int64(n))
			})
		}
		looking.Wait()
		return owed.Load()
	}
	if n := all(watched("v1", o.Since)); n != 1 {
		t.Errorf("%d runs owed, want 1", n)
	}
	if n := all(watched("v1", o.Since)); n != 0 {
		t.Errorf("%d more for the same evidence, want 0", n)
	}
	if n := all(watched("v2", o.Since)); n != 1 {
		t.Errorf("%d for newer evidence, want 1", n)
	}
	if n := all(watched("v2", o.Since.Add(time.Hour))); n != 1 {
		t.Errorf("%d for the same need, come again", n)
	}
	unsatisfied := watched("v3", o.Since)
	unsatisfied[0].Evidence = gone(o, false)
	if n := all(unsatisfied); n != 0 {
		t.Errorf("%d for what was not done, want 0", n)
	}
}

// Only what the owner does and a run has to prove asks for a confirming run.
func TestWhatAsksForAConfirmingRun(t *testing.T) {
	t.Parallel()
	done := verdict.SatisfactionEvidence{
		Credential: &verdict.CredentialEvidence{Present: true}, Schedule: &health.Schedule{Enabled: true}, Conditions: Attention(true).Conditions,
		LastRun:          &verdict.LastRun{Status: health.RunSucceeded, StartedAt: health.At(clock("13:00"))},
		DetailGapBacklog: &health.Backlog{}, BackfillWindowCovered: true,
	}
	for contract, want := range map[verdict.Contract]int{
		verdict.CredentialPresentAndUnrejected: 1, verdict.ScheduleAttachedAndEnabled: 1, verdict.AttentionResolved: 1,
		verdict.ConfirmingRunSucceeded: 0, verdict.GapRecovered: 0, verdict.BackfillWindowCovered: 0, verdict.NoContract: 0,
	} {
		w := newWorld(t, "c")
		a := verdict.RequiredAction{Audience: verdict.AudienceOwner, SatisfiedWhen: verdict.SatisfiedWhen{Kind: contract}, Terminal: true}
		if n, err := Heal(t.Context(), w, "c", []Watched{{Action: a, Since: clock("12:00"), Evidence: done}}); err != nil || n != want {
			t.Errorf("%s: got %d, %v, want no error && n == want", contract, n, err)
		}
		a.Audience = verdict.AudienceMaintainer
		if n, _ := Heal(t.Context(), newWorld(t, "c"), "c", []Watched{{Action: a, Since: clock("12:00"), Evidence: done}}); n != 0 {
			t.Errorf("%s: the maintainer's action is watched, want 0", contract)
		}
	}
}

// HL-26.1, HL-26.2: an owner's action turns nothing green. Health depends only on
// runs: the same evidence gives the same verdict before and after the action, with the
// action in it, until a run has succeeded.
func TestNoFalseGreen(t *testing.T) {
	t.Parallel()
	o := Obstacle{Kind: BadCredentials, Since: clock("12:00")}
	judge := func(run health.Run, syncing bool) verdict.RenderedVerdict {
		return verdict.Synthesize(verdict.Input{RuntimeOK: true, Snapshot: health.Project(health.Evidence{
			ObservedAt: health.At(clock("12:30")), Run: &run, Activity: &health.Activity{Active: syncing}, Schedule: &health.Schedule{Enabled: true},
			Coverage: &health.Coverage{Axis: health.CoverageComplete}, Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh},
		})})
	}
	failed := health.Run{LatestStatus: health.RunFailed, ReasonCode: "demo_auth_failed"}
	w := newWorld(t, "c")
	before := judge(failed, false)
	if n, err := Heal(t.Context(), w, "c", []Watched{{Action: o.Action(), Since: o.Since, Evidence: gone(o, true)}}); n != 1 || err != nil {
		t.Fatalf("got %+v, %+v, want n == 1 && no error", n, err)
	}
	if len(w.states["c"].Runs) != 0 || w.writes != 0 {
		t.Error("the watcher wrote evidence")
	}
	for name, v := range map[string]verdict.RenderedVerdict{
		"before": before, "while the run is owed": judge(failed, false), "while it goes on": judge(failed, true), "it failed the same way": judge(failed, false),
	} {
		if v.Pill.Tone == verdict.Green || len(v.RequiredActions) == 0 || v.RequiredActions[0].Kind != verdict.Reauth || v.RequiredActions[0].Reason == "" {
			t.Errorf(`%s: got %+v %+v, want v.Pill.Tone != verdict.Green && len(v.RequiredActions) != 0 && v.RequiredActions[0].Kind == verdict.Reauth && v.RequiredActions[0].Reason != ""`, name, v.Pill, v.RequiredActions)
		}
	}
	if v := judge(health.Run{LatestStatus: health.RunSucceeded, LastSuccessAt: health.At(clock("12:25"))}, false); v.Pill.Tone != verdict.Green {
		t.Errorf("confirmed: %+v, want %v", v.Pill, verdict.Green)
	}
}
