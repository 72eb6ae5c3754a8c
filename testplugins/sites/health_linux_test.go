package sites

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/host/browser"
	"github.com/pdpp-host/pdpp-host/host/browser/profile"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// snapshot is how the connection is now. The store follows each fact to the same evidence that it
// makes of all of them (Invariant 7).
func (w *world) snapshot() health.Snapshot {
	w.t.Helper()
	e, err := w.store.EvidenceOf(w.t.Context(), "example_shop")
	if err != nil {
		w.t.Fatal(err)
	}
	if wrong, err := w.store.CheckEvidence(w.t.Context()); err != nil || len(wrong) > 0 {
		w.t.Errorf("the evidence made again differs: %v, %v", wrong, err)
	}
	return health.Project(e.Facts.Evidence(e.Moment(time.Now(), func(string) bool { return true })))
}

// condition is one of a snapshot, in a line: status, severity, reason, and what puts it right.
func condition(s health.Snapshot, t health.Type) string {
	for i := range s.Conditions {
		if c := &s.Conditions[i]; c.Type == t {
			line := strings.Join([]string{string(c.Status), string(c.Severity), string(c.Reason)}, " ")
			if c.Remediation != nil {
				line += " " + c.Remediation.Action
				if c.Remediation.Retryable {
					line += " retryable"
				}
			}
			return line
		}
	}
	return "none"
}

// surface is the browser of a snapshot, in a line: axis, with a colon where it has that lease, and
// what is waited for or how it is.
func surface(s health.Snapshot) string {
	r := s.RemoteSurface
	if r == nil {
		return string(s.Axes.RemoteSurface)
	}
	line := string(r.Axis)
	if string(r.LeaseStatus) == line {
		line += ":"
	}
	if why := cmp.Or(r.WaitReason, r.SurfaceHealth); why != "" {
		line += " " + string(why)
	}
	return line
}

// accepted makes the connection, with its module accepted and no run.
func (w *world) accepted() {
	w.t.Helper()
	guest, err := w.engine.Load(w.t.Context(), w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	defer guest.Close()
	raw, err := guest.Describe(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	conn, err := w.store.EnsureConnection(w.t.Context(), "example_shop", "example_shop")
	if err == nil {
		err = w.store.PinPlugin(w.t.Context(), conn.ID, w.file.SHA256, raw)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// ends has the browser be a program that says something and ends.
func (w *world) ends(says string) {
	w.t.Helper()
	w.program = filepath.Join(w.dir, "browser")
	if err := os.WriteFile(w.program, []byte("#!/bin/sh\necho "+says+" >&2\nexit 1\n"), 0o700); err != nil { //nolint:gosec // it is executed
		w.t.Fatal(err)
	}
}

// faulty is a browser that failed in a way of the test's own.
type faulty struct {
	run.Browsing

	code abi.Code
}

func (f faulty) Fault() error { return abi.NewError(f.code, "it failed", "") }

const (
	usable    = "true info runtime_available"
	noBrowser = "false blocked browser_runtime_not_configured check_runtime"
	unmanaged = "unknown info runtime_not_managed"
)

// The health of a browser, by the way that evidence goes: a run's events and its end, or
// the scheduler's refusal, through the store into a snapshot.
func TestHealthOfBrowsers(t *testing.T) {
	t.Parallel()
	missing := abi.NewError(abi.CodeBrowserMissing, "no browser was found", "install one")
	fault := func(code abi.Code) func(*world) {
		return func(w *world) {
			w.ends("nothing")
			w.wrap = func(b run.Browsing) run.Browsing { return faulty{b, code} }
			w.collect()
		}
	}
	failed := func(reason string) string { return "false error " + reason + " check_runtime retryable" }
	for name, c := range map[string]struct {
		shop        *Shop // nil: one without faults
		happens     func(*world)
		surface     string
		runtime     string
		credentials string // "": not false
		collection  string // "": any
	}{
		"never tried":                   {happens: func(*world) {}, surface: "none", runtime: unmanaged},
		"no browser, before any run":    {happens: func(w *world) { w.missing = missing; w.turns(1) }, surface: "none", runtime: noBrowser},
		"no browser, behind a good run": {happens: func(w *world) { w.collect(); w.missing = missing; w.turns(1) }, surface: "none", runtime: noBrowser, collection: "true"},
		"no sandbox":                    {happens: func(w *world) { w.ends("No usable sandbox"); w.collect() }, surface: "none", runtime: noBrowser},
		"it does not start":             {happens: func(w *world) { w.ends("nothing"); w.collect() }, surface: "failed browser_start_failed", runtime: failed("browser_start_failed")},
		"unstable":                      {happens: fault(abi.CodeBrowserUnstable), surface: "failed browser_unstable", runtime: failed("browser_unstable")},
		"memory":                        {happens: fault("browser.memory"), surface: "failed browser_memory", runtime: failed("browser_memory")},
		"a good run":                    {happens: func(w *world) { w.collect() }, surface: "idle ready", runtime: usable, collection: "true"},
		"signed out, and nobody to ask": {
			shop: &Shop{Code: code}, happens: func(w *world) { w.collect() }, surface: "none", runtime: unmanaged,
			credentials: "false blocked credential_required refresh_credentials", collection: "false",
		},
		"the watchdog": {
			shop: &Shop{Loops: "GET /login"}, happens: func(w *world) { w.limit = 2 * time.Second; w.collect() }, surface: "none",
			runtime: unmanaged, collection: "false warning",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shopOf(t, cmp.Or(c.shop, &Shop{}))
			w.accepted()
			c.happens(w)
			s := w.snapshot()
			if got := surface(s); got != c.surface {
				t.Errorf("surface: got %q, want %q", got, c.surface)
			}
			if got := condition(s, health.RuntimeAvailable); got != c.runtime {
				t.Errorf("runtime: got %q, want %q", got, c.runtime)
			}
			if got, want := condition(s, health.RemoteSurfaceAvailable), "false"; strings.HasPrefix(got, want) != strings.HasPrefix(c.surface, "failed") {
				t.Errorf("remote surface: got %q, want it false where the surface failed alone", got)
			}
			if got := condition(s, health.CredentialsValid); got != c.credentials && (c.credentials != "" || strings.HasPrefix(got, "false")) {
				t.Errorf("credentials: got %q, want %q", got, c.credentials)
			}
			if got := condition(s, health.CollectionSucceeded); !strings.HasPrefix(got, c.collection) {
				t.Errorf("collection: got %q, want %q", got, c.collection)
			}
		})
	}
}

// A run that waits for its profile, or for its turn, says so while it does, and so does one that
// has its browser; who waited in vain is told to come again (BR-02.2, browser.max).
func TestHealthOfWaitingRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code abi.Code
		take func(w *world) (interface{ Close() error }, error)
	}{
		"profile": {abi.CodeBrowserProfileBusy, func(w *world) (interface{ Close() error }, error) {
			conn, err := w.store.Connection(w.t.Context(), "example_shop")
			if err != nil {
				return nil, err
			}
			h, err := profile.Hold(w.t.Context(), filepath.Join(w.dir, "profiles"), browser.ProfileOf("example_shop", conn.ID), 0)
			return released{h}, err
		}},
		"slot": {abi.CodeBrowserSlots, func(w *world) (interface{ Close() error }, error) {
			if err := os.MkdirAll(filepath.Join(w.dir, "profiles"), 0o700); err != nil {
				return nil, err
			}
			return profile.Slot(w.t.Context(), filepath.Join(w.dir, "profiles"), 1, 0)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop, waits := &Shop{}, "waiting: "+strings.ReplaceAll(string(c.code), ".", "_")
			w := shopOf(t, shop)
			w.accepted()
			w.slots = 1
			leased := make(chan health.Snapshot, 1)
			var first sync.Once
			shop.Fault = func(*http.Request) int {
				first.Do(func() { // the host writes what the run has beside the run
					var s health.Snapshot
					w.until("the run says that it has its browser", func() bool {
						s = w.snapshot()
						return surface(s) == "leased:"
					})
					leased <- s
				})
				return 0
			}
			theirs, err := c.take(w)
			if err != nil {
				t.Fatal(err)
			}
			w.wait = time.Millisecond
			if res := w.collect(); res.Status != run.StatusFailed || res.Error.Code != string(c.code) || !res.Error.Retryable {
				t.Errorf("in vain: got %s %+v, want %s, for another time", res.Status, res.Error, c.code)
			}
			if got, want := surface(w.snapshot()), waits; got != want {
				t.Errorf("in vain: got %q, want %q", got, want)
			}
			w.wait = 2 * time.Minute
			ended := make(chan *run.Result, 1)
			go func() {
				res, _ := w.run()
				ended <- res
			}()
			w.until("the run says that it waits", func() bool {
				s := w.snapshot()
				return s.Badges.Syncing && surface(s) == waits && condition(s, health.RuntimeAvailable) == usable
			})
			if err := theirs.Close(); err != nil {
				t.Fatal(err)
			}
			if res := <-ended; res == nil || res.Status != run.StatusSucceeded {
				t.Fatalf("once it is free: got %+v, want the run to succeed", res)
			}
			s := <-leased
			if !strings.HasPrefix(string(s.RemoteSurface.ProfileKey), "example_shop-") {
				t.Errorf("with its browser: got %+v, want it with its profile", s.RemoteSurface)
			}
			if got := surface(w.snapshot()); got != "idle ready" {
				t.Errorf("afterwards: got %q, want it idle", got)
			}
		})
	}
}

// released closes a profile that was held.
type released struct{ held *profile.Held }

func (r released) Close() error { return r.held.Release() }

// until waits for what comes in its own time, however busy the machine is.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			w.t.Fatalf("it never came that %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// HL-03: a question that is open is the owner's, for as long as it is.
func TestHealthOfQuestions(t *testing.T) {
	t.Parallel()
	w := shopOf(t, &Shop{Code: code})
	asked := make(chan health.Snapshot, 1)
	w.asker = asking(func(abi.Interaction) {
		w.until("the question is in the store", func() bool { return strings.HasPrefix(condition(w.snapshot(), health.AttentionClear), "false") })
		asked <- w.snapshot()
	})
	if res := w.collect(); res.Status != run.StatusSucceeded {
		t.Fatalf("got %s %+v, want it to succeed", res.Status, res.Error)
	}
	s := <-asked
	if got, want := condition(s, health.AttentionClear), "false blocked otp_required satisfy_attention"; got != want || surface(s) != "leased:" {
		t.Errorf("while it asks: got %q, %q, want %q, leased", got, surface(s), want)
	}
	if got := condition(w.snapshot(), health.AttentionClear); !strings.HasPrefix(got, "true") {
		t.Errorf("afterwards: got %q, want nothing to wait for", got)
	}
}

// asking is an owner who has the code, and looks before.
type asking func(abi.Interaction)

func (a asking) Ask(_ context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	a(in)
	return abi.InteractionResponse{Status: abi.ResponseSuccess, Data: map[string]string{"code": code}}, nil
}
