package schedule

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage"
)

// HL-26.1, HL-26.2: another module, or another configuration, ends the wait of a
// connection that was given up on over what it was refused for, with one confirming
// run; one that is refused the same way waits for the next change, as unwell as before.
func TestWhatARefusalRestsOnHasChanged(t *testing.T) {
	t.Parallel()
	for _, code := range []abi.Code{abi.CodeManifestInvalid, abi.CodeConfigInvalid, "egress.host_refused", abi.CodePluginInvalid} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarted %v", code, restarted), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, "c")
					w.rests["c"] = "a"
					w.play = refusing(code)
					s := w.scheduler()
					wait := func(d time.Duration, want int, what string) {
						t.Helper()
						w.during(s, func() { time.Sleep(d) })
						if got := len(w.ran("c")); got != want {
							t.Errorf("%s: %d runs, not %d", what, got, want)
						}
						if by := w.held("c"); len(w.states["c"].Runs) == 0 && (by == nil || by.Holds != stored.HeldForOwner || by.Reason != string(code)) {
							t.Errorf(`%s: held by %+v, want len(w.states["c"].Runs) != 0 || by != nil && by.Holds == health.HeldForOwner && by.Reason == string(code)`, what, by)
						}
						if restarted {
							s = w.scheduler()
						}
					}
					const day = 24 * time.Hour
					wait(20*day, blockedFrom, "given up")
					w.change(func() { w.rests["c"] = "b" })
					wait(10*time.Minute, blockedFrom+1, "changed")
					wait(20*day, blockedFrom+1, "refused again")
					w.change(func() { w.rests["c"] = "" })
					wait(day, blockedFrom+1, "nobody knows")
					w.change(func() { w.rests["c"] = "b" })
					wait(day, blockedFrom+1, "as it was")
					w.change(func() { w.rests["c"], w.play = "a", lasting(time.Second, StatusSucceeded, "") })
					wait(10*time.Minute, blockedFrom+2, "put right")
					if got := triggers(w, "c"); got[blockedFrom-1] != Scheduled || got[blockedFrom] != Confirming || got[blockedFrom+1] != Confirming {
						t.Errorf("started for %v, want got[blockedFrom-1] == Scheduled && got[blockedFrom] == Confirming && got[blockedFrom+1] == Confirming", got)
					}
					if by := w.held("c"); by != nil {
						t.Errorf("held by %+v, want by == nil", by)
					}
					var told []Healed
					for _, e := range w.events {
						if e.Kind == EventHealed {
							told = append(told, e.Healed)
						}
					}
					if !slices.Equal(told, []Healed{HealedElsewhere, HealedElsewhere}) {
						t.Errorf("told of %v, want slices.Equal(told, []Healed{HealedElsewhere, HealedElsewhere})", told)
					}
				})
			})
		}
	}
}

// A change tries a connection before it is due again; a look sees it, and changes
// nothing. It is nobody's doing on the connection: what its owner or its manifest lets
// nothing run by itself waits until that lets it.
func TestALookSeesAnotherModule(t *testing.T) {
	t.Parallel()
	hourly := every(time.Hour)
	for name, stop := range map[string]func(s *storage.Schedule, p *abi.RefreshPolicy){
		"nothing stops it":          nil,
		"its owner runs it by hand": func(s *storage.Schedule, _ *abi.RefreshPolicy) { s.Mode = string(ByHand) },
		"its owner has paused it":   func(s *storage.Schedule, _ *abi.RefreshPolicy) { s.Paused = true },
		"its manifest says by hand": func(_ *storage.Schedule, p *abi.RefreshPolicy) { *p = *policy("manual", hourly) },
		"by hand, whatever is set": func(s *storage.Schedule, p *abi.RefreshPolicy) {
			s.Mode, *p = string(Automatic), *policy("manual", hourly)
		},
		"it is not safe":           func(_ *storage.Schedule, p *abi.RefreshPolicy) { *p = *policy("automatic", hourly, safe(false)) },
		"its manifest says paused": func(_ *storage.Schedule, p *abi.RefreshPolicy) { *p = *policy("paused", hourly) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				w.rests["c"], w.play = "a", refusing(abi.CodeManifestInvalid)
				s, c := w.scheduler(), storage.Connection{ID: "c", Name: "c"}
				once := func() {
					t.Helper()
					if _, err := s.Once(t.Context()); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
				}
				look := func(sees bool) {
					t.Helper()
					writes := w.writes
					l, err := s.Look(t.Context(), c)
					if err != nil || (l.Reason == "" && l.Trigger == Confirming && l.At.Equal(time.Now())) != sees || w.writes != writes || len(w.claims) != 0 {
						t.Errorf(`got %+v, %v, want no error && (l.Reason == "" && l.Trigger == Confirming && l.At.Equal(time.Now())) == sees && w.writes == writes && len(w.claims) == 0`, l, err)
					}
				}
				once()
				once()
				if n := len(w.ran("c")); n != 1 {
					t.Fatalf("%d runs, want 1", n)
				}
				w.rests["c"] = "b"
				if stop != nil {
					stop(&w.states["c"].Schedule, w.policy["c"])
					look(false)
					once()
					if n := len(w.ran("c")); n != 1 || len(w.claims) != 0 {
						t.Errorf("%d runs, %d are owed, want n == 1 && len(w.claims) == 0", n, len(w.claims))
					}
					w.states["c"].Schedule, w.policy["c"] = storage.Schedule{}, policy("automatic", hourly)
				}
				look(true)
				once()
				if got := triggers(w, "c"); len(got) != 2 || got[1] != Confirming {
					t.Errorf("started for %v, want len(got) == 2 && got[1] == Confirming", got)
				}
			})
		})
	}
}

// A refusal that was kept without a mark, by an earlier version or by hand alone, is
// found out about by one run, also where the connection was given up on; from there on
// the next change is waited for, also where its owner tries by hand meanwhile.
func TestARefusalWithoutAMarkIsTriedOnce(t *testing.T) {
	t.Parallel()
	for _, trigger := range []Trigger{Scheduled, Manual} {
		t.Run(string(trigger), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const day = 24 * time.Hour
				w := newWorld(t, "c")
				w.play = refusing("egress.host_refused")
				given := func() {
					w.change(func() {
						w.states["c"].Dispatches = slices.Insert(w.states["c"].Dispatches, 0, storage.Dispatch{
							ConnectionID: "c", Status: StatusRefused, Trigger: string(trigger), Reason: "egress.host_refused", Holds: stored.HeldForOwner,
							FirstAt: time.Now(), LastAt: time.Now(), Count: blockedFrom,
						})
					})
				}
				given()
				s := w.scheduler()
				wait := func(d time.Duration, want int, what string) {
					t.Helper()
					w.during(s, func() { time.Sleep(d) })
					if got := triggers(w, "c"); len(got) != want || slices.ContainsFunc(got, func(by Trigger) bool { return by != Confirming }) {
						t.Errorf("%s: started for %v, not %d times", what, got, want)
					}
				}
				wait(10*day, 0, "nobody knows")
				w.change(func() { w.rests["c"] = "a" })
				wait(10*time.Minute, 1, "somebody does")
				wait(20*day, 1, "refused again")
				given()
				wait(20*day, 1, "by hand besides")
				w.change(func() { w.rests["c"] = "b" })
				wait(10*time.Minute, 2, "changed")
				wait(20*day, 2, "refused once more")
			})
		})
	}
}

// A change that a back-off still holds is not confirmed by what its owner tries by
// hand meanwhile and is refused: the run that finds out still comes.
func TestARefusalByHandConfirmsNoChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.rests["c"], w.play = "a", refusing(abi.CodeManifestInvalid)
		w.during(w.scheduler(), func() {
			for len(w.ran("c")) < blockedFrom {
				time.Sleep(time.Minute)
			}
			w.change(func() { w.rests["c"] = "b" })
			time.Sleep(10*time.Minute + 30*time.Second) // between two passes
			var owed int
			w.change(func() { owed = len(w.claims) })
			if n := len(w.ran("c")); owed != 1 || n != blockedFrom {
				t.Errorf("%d are owed after %d runs, want owed == 1 && n == blockedFrom", owed, n)
			}
			_, err := w.RecordDispatch(t.Context(), storage.Dispatch{
				ConnectionID: "c", Status: StatusRefused, Trigger: string(Manual), Reason: string(abi.CodeManifestInvalid), Holds: stored.HeldForOwner,
			})
			if err != nil {
				t.Error(err)
			}
			time.Sleep(3 * 24 * time.Hour)
		})
		if got := triggers(w, "c"); len(got) != blockedFrom+1 || got[blockedFrom] != Confirming {
			t.Errorf("started for %v, want len(got) == blockedFrom + 1 && got[blockedFrom] == Confirming", got)
		}
	})
}

// A failed examination is recorded with the circumstances read before it, so that a
// module that changed by the time of the refusal is tried.
func TestWhatCannotBeJudgedRestsOnWhatWasThere(t *testing.T) {
	t.Parallel()
	for name, during := range map[string]string{"it stays": "a", "it changes meanwhile": "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "c")
				w.rests["c"] = "a"
				damaged := true
				s := w.scheduler(func(d *Deps) {
					asked := d.Policy
					d.Policy = func(ctx context.Context, c storage.Connection) (*abi.RefreshPolicy, error) {
						if damaged {
							w.change(func() { w.rests["c"] = during })
							return nil, abi.NewError(abi.CodeManifestInvalid, "damaged", "")
						}
						return asked(ctx, c)
					}
				})
				if _, err := s.Once(t.Context()); err != nil {
					t.Fatal(err)
				}
				if d := w.states["c"].Dispatches; len(d) != 1 || markOf(d[0].Identity) != "a" {
					t.Errorf(`w.states["c"].Dispatches: got %+v, want len(d) == 1 && restsOf(d[0].Identity) == "a"`, d)
				}
				damaged = false
				w.during(s, func() { time.Sleep(10 * time.Minute) })
				if got := triggers(w, "c"); (len(got) == 1 && got[0] == Confirming) != (during == "b") {
					t.Errorf("started for %v, want %v", got, (during == "b"))
				}
			})
		})
	}
}

// A connection whose module was accepted is judged without it, so that a pass does not
// look there for a mark.
func TestWhatWasAcceptedIsJudgedWithoutAMark(t *testing.T) {
	t.Parallel()
	for pinned, want := range map[string]int{"": 1, "abc": 0} {
		looked := 0
		w := newWorld(t, "c")
		s := w.scheduler(func(d *Deps) {
			d.Rests = func(context.Context, storage.Connection) string { looked++; return "a" }
		})
		s.decide(t.Context(), storage.Connection{ID: "c", Name: "c", PinnedSHA256: pinned}, nil, time.Now())
		if looked != want {
			t.Errorf("pinned %q: looked %d times, want %v", pinned, looked, want)
		}
	}
}

// A module that changes all the time is tried at the pace of the back-off.
func TestAFlappingModuleIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.play = refusing(abi.CodeManifestInvalid)
		w.during(w.scheduler(), func() {
			for i := range 96 {
				w.change(func() { w.rests["c"] = fmt.Sprint(i) })
				time.Sleep(5 * time.Minute)
			}
		})
		if n := len(w.ran("c")); n < 4 || n > 7 {
			t.Errorf("started %d times in eight hours, want n >= 4 && n <= 7", n)
		}
	})
}

// A change during an attempt counts as later than the attempt's refusal.
func TestAChangeDuringAnAttemptIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "c")
		w.rests["c"] = "a"
		w.play = func(w *world, _ context.Context, _ Job) (storage.RunEnd, error) {
			w.change(func() { w.rests["c"] = "b" })
			return storage.RunEnd{}, abi.NewError(abi.CodeManifestInvalid, "refused", "")
		}
		s := w.scheduler()
		for range 3 {
			if _, err := s.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		if got := triggers(w, "c"); len(got) != 2 || got[1] != Confirming {
			t.Errorf("started for %v, want len(got) == 2 && got[1] == Confirming", got)
		}
	})
}

// findElsewhere returns refusals that depend on outside circumstances, each with the
// right mark.
func TestFindElsewhere(t *testing.T) {
	t.Parallel()
	at := clock("12:00")
	refused := func(code abi.Code, rests string) Ended {
		return Ended{Status: StatusRefused, Class: "failure:" + string(code), Code: string(code), FinishedAt: at, mark: rests}
	}
	before := func(e Ended) Ended {
		e.FinishedAt = clock("11:00")
		return e
	}
	const nothing = "nothing"
	failed, cancelled, abandoned := Ended{Status: StatusFailed}, Ended{Status: StatusCancelled}, Ended{Status: StatusAbandoned}
	for name, c := range map[string]struct {
		history []Ended
		want    string
	}{
		"nothing ended":             {nil, nothing},
		"a module":                  {[]Ended{refused(abi.CodeManifestInvalid, "a"), failed}, "a"},
		"the newest counts":         {[]Ended{refused(abi.CodeManifestInvalid, "b"), before(refused(abi.CodeManifestInvalid, "a"))}, "b"},
		"one by hand has none":      {[]Ended{refused(abi.CodeManifestInvalid, ""), before(refused(abi.CodeManifestInvalid, "a"))}, "a"},
		"that of another refusal":   {[]Ended{refused(abi.CodeManifestInvalid, ""), before(refused("egress.host_refused", "a"))}, ""},
		"none is known":             {[]Ended{refused(abi.CodeManifestInvalid, ""), before(refused(abi.CodeManifestInvalid, ""))}, ""},
		"then it was cancelled":     {[]Ended{cancelled, refused(abi.CodeManifestInvalid, "a")}, "a"},
		"then it was killed":        {[]Ended{abandoned, refused(abi.CodeManifestInvalid, "a")}, nothing},
		"then it failed":            {[]Ended{failed, refused(abi.CodeManifestInvalid, "a")}, nothing},
		"a run in between":          {[]Ended{refused(abi.CodeManifestInvalid, ""), failed, before(refused(abi.CodeManifestInvalid, "a"))}, ""},
		"a folder is looked at":     {[]Ended{refused(abi.CodeRootMissing, "a")}, nothing},
		"a module is looked for":    {[]Ended{refused(abi.CodePluginUnknown, "a")}, nothing},
		"a credential is looked at": {[]Ended{refused("vault.key_missing", "a")}, nothing},
		"the store":                 {[]Ended{refused(abi.CodeStoreLocked, "")}, nothing},
	} {
		o := findElsewhere(c.history)
		if (o == nil) != (c.want == nothing) || o != nil && (o.mark != c.want || !o.since.Equal(at)) {
			t.Errorf("%s: got %+v, want (o == nil) == (c.want == nothing) && (o == nil || o.rests == c.want && o.since.Equal(at))", name, o)
		}
	}
}
