package assemblyscript

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

func open(t *testing.T, name string) *plugin.File {
	t.Helper()
	f, err := plugin.Open(name+plugin.Extension, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Both guests deliver their records, and the second run goes on from the cursor
// of the first.
func TestRunsAndResumes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{plugin.KindRaw, plugin.KindExtism} {
		for _, mode := range rig.Modes {
			t.Run(kind+"/"+mode, func(t *testing.T) {
				t.Parallel()
				h := rig.NewHost(t, rig.Setup{Isolation: mode})
				connection := "assemblyscript_" + kind
				for n, want := range []run.RecordCounts{{Upserted: 3, New: 3}, {}} {
					res, err := h.Play(run.Request{Module: open(t, kind)})
					if err != nil || res.Status != run.StatusSucceeded {
						t.Fatalf("run %d: %+v %v, want Status = %v", n, res, err, run.StatusSucceeded)
					}
					if got := res.Records["greetings"]; got != want {
						t.Errorf("run %d: %+v, want %+v", n, got, want)
					}
				}
				if got := h.Keys(connection, "greetings"); !slices.Equal(got, []string{"1", "2", "3"}) {
					t.Errorf("stored %v, want %q", got, []string{"1", "2", "3"})
				}
				if got := h.Cursors(connection)["greetings"]; got != `{"last":"3"}` {
					t.Errorf("cursor %s, want %s", got, `{"last":"3"}`)
				}
				r, err := h.Store.Record(t.Context(), connection, "greetings", "3")
				if err != nil || string(r.Data) != `{"id":"3","text":"おやすみなさい"}` {
					t.Errorf("%s %v, want r.Data = %s", r.Data, err, `{"id":"3","text":"おやすみなさい"}`)
				}
			})
		}
	}
}

func TestKindIsTold(t *testing.T) {
	t.Parallel()
	e := rig.Engine(t, plugin.IsolationInline, plugin.DefaultLimits())
	for _, kind := range []string{plugin.KindRaw, plugin.KindExtism} {
		g, err := e.Load(t.Context(), open(t, kind))
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Info().Kind; got != kind {
			t.Errorf("Info says kind %[2]s, want %[1]s", kind, got)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Invariant 6: the features of Extism beside the host calls lead nowhere. A request is
// denied before a name is resolved, the configuration is empty, variables end with the
// instance, and many of them end the guest.
func TestExtismOffersNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tries  string
		reason abi.Reason // "": the run succeeds
		code   abi.Code
	}{
		{"http_request", abi.ReasonExitWithoutDone, abi.CodeGuestTrap},
		{"config", "", ""},
		{"variables", "", ""},
		{"variable_flood", abi.ReasonExitWithoutDone, abi.CodeGuestTrap},
	} {
		for _, mode := range rig.Modes {
			t.Run(tc.tries+"/"+mode, func(t *testing.T) {
				t.Parallel()
				h := rig.NewHost(t, rig.Setup{Isolation: mode})
				for n := range 2 { // the second one finds nothing that the first one left
					res, err := h.Play(run.Request{
						Module: open(t, plugin.KindExtism), Mode: abi.ModeFullRefresh, Timeout: time.Minute,
						Options: map[string]string{"tries": tc.tries, "secret": "of the operator's own"},
					})
					if err != nil {
						t.Fatal(err)
					}
					got := fmt.Sprint(res.Status, res.Reason)
					if res.Error != nil {
						got += res.Error.Code
					}
					want := run.StatusSucceeded
					if tc.reason != "" {
						want = run.StatusFailed + string(tc.reason) + string(tc.code)
					}
					if got != want {
						t.Errorf("run %d: %s %+v, want %s", n, got, res.Error, want)
					}
				}
			})
		}
	}
}
