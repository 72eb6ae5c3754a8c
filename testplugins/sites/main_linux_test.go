package sites

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser"
	"github.com/pdpp-host/pdpp-host/host/browser/find"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/replay"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	visitor "github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/folder"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/nobody"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// builtIn names the folder with the connectors, which are built before the tests become nobody's.
const builtIn = "PDPP_TEST_SITES_BUILT"

// connectors are those of the sites.
var connectors = []string{"example_shop", "reddit_web"}

// standard ends the name of a connector's module by standard Go, beside the one by TinyGo.
const standard = "-standard.wasm"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == plugin.WorkerArgument {
		os.Exit(plugin.WorkerMain(os.Stdin, os.Stdout))
	}
	if os.Getenv(builtIn) == "" {
		dir, err := os.MkdirTemp("", "pdpp-sites-")
		if err == nil {
			err = os.Chmod(dir, 0o755) //nolint:gosec // nobody reads it
		}
		builds := map[string]string{}
		for _, name := range connectors {
			builds[name+".wasm"] = "plugins/" + name
			if os.Getenv("TINYGO") == "1" {
				builds[name+standard] = "plugins/" + name + "@standard"
			}
		}
		for file, folder := range builds {
			if err == nil {
				err = build(filepath.Join(dir, file), folder)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = os.Setenv(builtIn, dir)
	}
	nobody.Main(m, func(m *testing.M) int {
		code := m.Run()
		visitor.Close()
		tree.Remove()
		if err := goleak.Find(); code == 0 && err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		return code
	})
}

// build builds a connector that nobody can read.
func build(out, folder string) error {
	if strings.HasSuffix(out, standard) {
		_ = os.Unsetenv("TINYGO")
		defer func() { _ = os.Setenv("TINYGO", "1") }()
	}
	if err := tree.Compile(out, folder, ""); err != nil {
		return err
	}
	return os.Chmod(out, 0o644) //nolint:gosec // as it is
}

// world is a host of a test's own, whose browser reaches one site.
type world struct {
	t      testing.TB
	site   *Site
	store  *storage.Store
	engine *plugin.Engine
	file   *plugin.File
	dir    string
	ids    atomic.Int64

	program  string
	slots    int
	wait     time.Duration // for profile and slot; 0: the usual
	limit    time.Duration // of signing in without progress; 0: the usual
	missing  error         // why this machine has no browser
	alive    func(holder string) bool
	wrap     func(run.Browsing) run.Browsing // nil: as it is
	secrets  map[string]string
	asker    run.Asker
	sessions []*call.Session // of the runs so far
	seals    run.Sealer
	change   func(*run.Deps)
	browsing *browser.Binding // of the newest run
	unpaced  bool             // without the pauses that the manifest asks for
	recorder *replay.Recorder // of the next run; nil: it is not recorded
}

func newWorld(t testing.TB, site *Site) *world {
	t.Helper()
	return newWorldOf(t, site, "example_shop")
}

// newWorldOf is a world whose runs are those of a connector.
func newWorldOf(t testing.TB, site *Site, connector string) *world {
	t.Helper()
	dir := folder.New(t)
	return newWorldIn(t, site, connector, dir, filepath.Join(dir, "pdpp.sqlite"))
}

// newWorldIn is a world in a folder, with its store at a place.
func newWorldIn(t testing.TB, site *Site, connector, dir, store string) *world {
	t.Helper()
	w := &world{t: t, site: site, dir: dir, alive: func(string) bool { return true }}
	var err error
	if w.program, err = find.Here("").Browser(""); err != nil {
		if os.Getenv("PDPP_TEST_BROWSER") == "required" {
			t.Fatalf("PDPP_TEST_BROWSER=required, and %v", err)
		}
		t.Skipf("NOT TESTED IN A BROWSER: %v", err)
	}
	module, err := os.ReadFile(filepath.Join(os.Getenv(builtIn), connector+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.dir, connector+".wasm")
	if err := os.WriteFile(path, module, 0o600); err != nil {
		t.Fatal(err)
	}
	if w.file, err = plugin.Open(path, 64<<20); err != nil {
		t.Fatal(err)
	}
	limits := plugin.DefaultLimits()
	limits.Describe = 30 * time.Second // of a machine that is busy with other tests
	w.engine = rig.Engine(t, plugin.IsolationProcess, limits)
	if w.store, err = storage.Open(t.Context(), storage.Options{Path: store, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return w
}

// collect makes one run of the connector.
func (w *world) collect() *run.Result {
	w.t.Helper()
	res, err := w.run()
	if err != nil {
		w.t.Fatalf("got the run refused: %v, want it to begin", err)
	}
	return res
}

func (w *world) run() (*run.Result, error) {
	deps := run.Deps{
		Store: w.store, Engine: w.engine, Asker: w.asker, Now: time.Now, Holder: "sites", HolderAlive: w.alive,
		NewID:  func() string { return fmt.Sprintf("run_sites_%d", w.ids.Add(1)) },
		Sender: w, Browser: (*machine)(w),
		Secrets: func(context.Context, *storage.Connection, *abi.Manifest) (run.Secrets, error) {
			return held(w.secrets), nil
		},
	}
	if w.change != nil {
		w.change(&deps)
	}
	if w.recorder != nil {
		running.Record(w.recorder, &deps)
	}
	return run.New(deps).Run(w.t.Context(), run.Request{Module: w.file, Accept: true, Timeout: 5 * time.Minute})
}

// Open is the run's way to its provider.
func (w *world) Open(_ context.Context, r run.SendRun) (run.Sending, error) {
	network := r.Manifest.Requirements.Network
	if w.unpaced {
		free := *network
		free.Provider = &abi.Provider{DiscoveryMS: new(int64)}
		network = &free
	}
	s, err := call.Open(call.Options{
		Network: network, Connector: r.Manifest.ConnectorKey, Run: send.NewRunBudget(0, r.MaxWall).Resting(r.Rested),
		Retries: send.RetryBudgetFor(0), State: func(stream string) []byte { return r.Cursors[stream] },
		Clock: send.SystemClock{}, Random: mathrand.Float64, Observer: r.Observer, Hide: r.Hide,
	})
	if err == nil {
		w.sessions = append(w.sessions, s)
	}
	return s, err
}

// machine is the world as its runs' browser.
type machine world

// Missing says whether there is a browser.
func (m *machine) Missing(*abi.BrowserRequirements) error { return m.missing }

// Open opens the browser of a run.
func (m *machine) Open(_ context.Context, b run.BrowserRun) (run.Browsing, error) {
	m.browsing = browser.Bind(browser.Request{
		Program: m.program, Profiles: filepath.Join(m.dir, "profiles"), Profile: browser.ProfileOf(b.Manifest.ConnectorKey, b.Connection.ID),
		Random: rand.Reader, Headers: egress.CheckHeaders, Dialer: m.site, Trust: []string{m.site.Key()}, Sealer: m.seals, Hide: b.Hide,
		Slots: m.slots, Wait: m.wait, Limit: m.limit,
	}, b.Manifest.Requirements.Browser, b.Sending, b.Secret)
	if m.wrap != nil {
		return m.wrap(m.browsing), nil
	}
	return m.browsing, nil
}

// held are an owner's credentials.
type held map[string]string

// Held says which there are.
func (h held) Held() map[string]bool {
	m := map[string]bool{"username": false, "password": false}
	for name := range h {
		m[name] = true
	}
	return m
}

// Value returns one.
func (h held) Value(_ context.Context, field string) (string, bool, error) {
	v, ok := h[field]
	return v, ok, nil
}

// BindRun is told of the run.
func (held) BindRun(*storage.RunWriter) {}

// Replace stores nothing.
func (held) Replace(context.Context, map[string]string) error { return nil }

// Keep stores nothing.
func (held) Keep(context.Context, map[string]string) error { return nil }
