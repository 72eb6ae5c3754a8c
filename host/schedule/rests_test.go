package schedule

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
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
						if by := w.held("c"); len(w.states["c"].Runs) == 0 && (by == nil || by.Holds != health.HeldForOwner || by.Reason != string(code)) {
							t.Errorf("%s: held by %+v", what, by)
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
						t.Errorf("started for %v", got)
					}
					if by := w.held("c"); by != nil {
						t.Errorf("held by %+v", by)
					}
					var told []Healed
					for _, e := range w.events {
						if e.Kind == EventHealed {
							told = append(told, e.Healed)
						}
					}
					if !slices.Equal(told, []Healed{HealedElsewhere, HealedElsewhere}) {
						t.Errorf("told of %v", told)
					}
				})
			})
		}
	}
}

// A change tries a connection before it is due again, and one that its owner runs by
// hand too; a look sees it, and changes nothing.
func TestALookSeesAnotherModule(t *testing.T) {
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
		once()
		w.states["c"].Schedule.Mode = string(ByHand)
		once()
		if n := len(w.ran("c")); n != 1 {
			t.Fatalf("%d runs", n)
		}
		w.rests["c"] = "b"
		writes := w.writes
		l, err := s.Look(t.Context(), c)
		if err != nil || l.Reason != "" || l.Trigger != Confirming || !l.At.Equal(time.Now()) || w.writes != writes || len(w.claims) != 0 {
			t.Errorf("%+v, %v", l, err)
		}
		once()
		if got := triggers(w, "c"); len(got) != 2 || got[1] != Confirming {
			t.Errorf("started for %v", got)
		}
	})
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
			t.Errorf("started %d times in eight hours", n)
		}
	})
}

// What is changed while an attempt goes on is another one than it was refused with.
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
			t.Errorf("started for %v", got)
		}
	})
}

// Which refusals are told apart by what they rest on, and by which of their marks.
func TestFindElsewhere(t *testing.T) {
	t.Parallel()
	refused := func(code abi.Code, rests string) Ended {
		return Ended{Status: StatusRefused, Class: "failure:" + string(code), Code: string(code), FinishedAt: clock("12:00"), rests: rests}
	}
	failed, cancelled, abandoned := Ended{Status: StatusFailed}, Ended{Status: StatusCancelled}, Ended{Status: StatusAbandoned}
	for name, c := range map[string]struct {
		history []Ended
		want    string
	}{
		"nothing ended":             {nil, ""},
		"a module":                  {[]Ended{refused(abi.CodeManifestInvalid, "a"), failed}, "a"},
		"the newest counts":         {[]Ended{refused(abi.CodeManifestInvalid, "b"), refused(abi.CodeManifestInvalid, "a")}, "b"},
		"one by hand has none":      {[]Ended{refused(abi.CodeManifestInvalid, ""), refused(abi.CodeManifestInvalid, "a")}, "a"},
		"that of another refusal":   {[]Ended{refused(abi.CodeManifestInvalid, ""), refused("egress.host_refused", "a")}, ""},
		"none is known":             {[]Ended{refused(abi.CodeManifestInvalid, ""), refused(abi.CodeManifestInvalid, "")}, ""},
		"then it was cancelled":     {[]Ended{cancelled, refused(abi.CodeManifestInvalid, "a")}, "a"},
		"then it was killed":        {[]Ended{abandoned, refused(abi.CodeManifestInvalid, "a")}, ""},
		"then it failed":            {[]Ended{failed, refused(abi.CodeManifestInvalid, "a")}, ""},
		"a run in between":          {[]Ended{refused(abi.CodeManifestInvalid, ""), failed, refused(abi.CodeManifestInvalid, "a")}, ""},
		"a folder is looked at":     {[]Ended{refused(abi.CodeRootMissing, "a")}, ""},
		"a module is looked for":    {[]Ended{refused(abi.CodePluginUnknown, "a")}, ""},
		"a credential is looked at": {[]Ended{refused("vault.key_missing", "a")}, ""},
		"the store":                 {[]Ended{refused(abi.CodeStoreLocked, "a")}, ""},
	} {
		o := findElsewhere(c.history)
		if o == nil {
			if c.want != "" {
				t.Errorf("%s: nothing", name)
			}
			continue
		}
		if o.rests != c.want || !o.since.Equal(clock("12:00")) {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
