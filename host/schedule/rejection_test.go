package schedule

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// rejectedThen gives a connection a run that was rejected, with its evidence, and
// what came after it: a run that failed over something else, or a refusal.
func rejectedThen(w *world, name string, refusal abi.Code) {
	ranBefore(w, name, StatusFailed, "refresh_credentials")
	st := w.states[name]
	w.stands[name] = true
	time.Sleep(time.Minute)
	if refusal != "" {
		st.Dispatches = []storage.Dispatch{{
			ConnectionID: name, Status: StatusRefused, Reason: string(refusal), Holds: "owner", AfterRun: 1, FirstAt: time.Now(), LastAt: time.Now(), Count: 1,
		}}
		return
	}
	st.Runs = append([]storage.RunEnd{{
		RunID: "later", Number: 2, Status: StatusFailed, Reason: string(abi.ReasonConnectorReportedFailed), Code: "demo_http_500",
		StartedAt: time.Now(), FinishedAt: time.Now(),
	}}, st.Runs...)
}

// HL-26.1, HL-26.2: a rejected credential stays an obstacle even if a later run failed
// over something else, or was refused before it began, until there is another
// credential or a run signed in. Another credential is confirmed by one run.
func TestARejectionOutlivesAnotherFailure(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]abi.Code{
		"a run failed": "", "a setting was refused": abi.CodeUsage, "a folder was gone": abi.CodeRootMissing, "a key was gone": "vault.key_missing",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				rejectedThen(w, "c", refusal)
				w.play = lasting(time.Second, StatusSucceeded, "")
				s, c := w.scheduler(), storage.Connection{ID: "c", Name: "c"}
				waits := func(what string, want Reason) {
					t.Helper()
					if l, err := s.Look(t.Context(), c); err != nil || l.Reason != want || !l.Waits {
						t.Errorf("%s: got %+v, %v, want no error && l.Reason == want && l.Waits", what, l, err)
					}
					w.during(w.scheduler(), func() { time.Sleep(30 * time.Hour) })
					if n := len(w.ran("c")); n != 0 {
						t.Fatalf("%s: %d runs with a credential that is known to be wrong, want 0", what, n)
					}
				}
				first := ReasonAttention
				if refusal == abi.CodeRootMissing {
					first = ReasonNotReady
				}
				waits("rejected", first)
				w.change(func() { w.probed["c"] = true }) // the folder or the key is back
				waits("that is put right", ReasonAttention)
				w.change(func() { w.stored = time.Now() })
				w.during(w.scheduler(), func() { time.Sleep(30 * time.Minute) })
				if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
					t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
				}
			})
		})
	}
}

// Another credential puts no refusal right that came after the one that was rejected.
func TestAnotherCredentialIsNoSetting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		rejectedThen(w, "c", abi.CodeUsage)
		w.probed["c"], w.stored, w.play = true, time.Now().Add(time.Second), refusing(abi.CodeUsage)
		s := w.scheduler()
		for pass := range 4 {
			w.states["c"].Schedule.Paused = pass > 1
			if _, err := s.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			if by := w.held("c"); by == nil || by.Reason != string(abi.CodeUsage) {
				t.Errorf("pass %d: held by %+v, want by != nil && by.Reason == string(abi.CodeUsage)", pass, by)
			}
			time.Sleep(time.Minute)
		}
		if got := triggers(w, "c"); len(got) != 1 || got[0] != Confirming {
			t.Errorf("started for %v, want len(got) == 1 && got[0] == Confirming", got)
		}
	})
}

// A rejection ends once a run has signed in, even if that run failed otherwise; with
// another credential the schedule continues, whatever fails then.
func TestARejectionThatStandsNoMore(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(w *world){
		"a run got in":            func(w *world) { w.stands["c"] = false },
		"there is another by now": func(w *world) { w.probed["c"], w.stored = true, time.Now() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				rejectedThen(w, "c", "")
				set(w)
				w.play = lasting(time.Second, StatusFailed, "demo_http_500")
				w.during(w.scheduler(), func() { time.Sleep(5 * time.Hour) })
				confirming := 0
				for _, by := range triggers(w, "c") {
					if by == Confirming {
						confirming++
					}
				}
				if got := triggers(w, "c"); len(got) < 3 || confirming > 1 {
					t.Errorf("started for %v, want len(got) >= 3 && confirming <= 1", got)
				}
			})
		})
	}
}

// The evidence is asked only where the history leaves it open.
func TestWhoIsAskedForARejection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "new", "well", "rejected", "got in")
		ranBefore(w, "well", StatusFailed, "refresh_credentials")
		w.states["well"].Runs = append([]storage.RunEnd{{RunID: "s", Number: 2, Status: StatusSucceeded, StartedAt: time.Now(), FinishedAt: time.Now()}}, w.states["well"].Runs...)
		ranBefore(w, "rejected", StatusFailed, "refresh_credentials")
		for _, n := range w.names[:3] {
			if _, err := w.scheduler().Look(t.Context(), storage.Connection{ID: n, Name: n}); err != nil || w.asked != 0 {
				t.Errorf("%s: asked %d times, %v, want no error && w.asked == 0", n, w.asked, err)
			}
		}
		rejectedThen(w, "got in", "")
		if _, err := w.scheduler().Look(t.Context(), storage.Connection{ID: "got in", Name: "got in"}); err != nil || w.asked != 1 {
			t.Errorf("asked %d times, %v, want no error && w.asked == 1", w.asked, err)
		}
	})
}

// A probe reads facts shared by all connections once a pass, and again in the next.
func TestAProbeIsOfOnePass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a", "b", "c")
		for _, n := range w.names {
			ranBefore(w, n, StatusFailed, "refresh_credentials")
		}
		for pass := 1; pass <= 3; pass++ {
			if _, err := w.scheduler().Once(t.Context()); err != nil || w.probes != pass {
				t.Errorf("pass %d: %d probes, %v, want no error && w.probes == pass", pass, w.probes, err)
			}
		}
	})
}

// HL-26.2: a rejection remains beside another failure, as in the verdict, until a run
// signed in or has used another credential. This test uses the store's own facts.
func TestRejectionStands(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := clock("12:00")
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	conn, err := store.EnsureConnection(ctx, "c", "demo")
	if err != nil {
		t.Fatal(err)
	}
	stands := func(what string, want bool) {
		t.Helper()
		if e, err := store.EvidenceOf(ctx, conn.ID); err != nil || rejectionStands(e.Facts) != want {
			t.Errorf("%s: it stands: %v, %v, want no error && rejectionStands(e.Facts) == want", what, !want, err)
		}
		now = now.Add(time.Minute)
	}
	put := func() {
		t.Helper()
		if err := store.PutCredentials(ctx, conn.ID, map[string][]byte{"token": {1}}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	ran := func(out storage.Outcome) {
		t.Helper()
		n++
		run, err := store.BeginRun(ctx, storage.NewRun{
			RunID: fmt.Sprintf("run%d", n), ConnectionID: conn.ID, Connector: "demo", Holder: "me", LeaseTTL: time.Hour,
			Streams: []string{"notes"}, Mode: "incremental", Bookmark: storage.BookmarkIncremental,
		})
		if err == nil {
			now = now.Add(time.Second)
			err = run.Finish(ctx, out)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	failed := func(code, hint string) storage.Outcome {
		return storage.Outcome{
			Status: StatusFailed, Reason: string(abi.ReasonConnectorReportedFailed), Error: &storage.RunError{Code: code, RecoveryHint: hint},
		}
	}
	rejected, besides := failed("demo_x", "refresh_credentials"), failed("demo_http_500", "")
	put()
	stands("nothing ran", false)
	ran(besides)
	stands("none was rejected", false)
	ran(rejected)
	stands("rejected", true)
	ran(besides)
	stands("another failure", true)
	put()
	stands("another credential that no run has used", true)
	ran(storage.Outcome{Status: StatusCancelled, Reason: string(abi.ReasonOwnerCancelled)})
	stands("nor has one that was cancelled", true)
	ran(besides)
	stands("one that a run has used", false)
	ran(rejected)
	ran(besides)
	stands("that was rejected, too", true)
	ran(storage.Outcome{Status: StatusSucceeded})
	stands("a run got in", false)
}
