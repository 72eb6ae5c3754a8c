package ownerapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	hostrun "github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/described"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// at is where the host of a bed listens.
const at = "127.0.0.1:8377"

// bed is an API over a real store, which has the connection "mine" and its module.
type bed struct {
	*testing.T
	api    *API
	guard  *web.Guard
	owner  *owner.Owner
	store  *storage.Store
	clock  *clock
	runs   *fakeRuns
	tokens map[access.Scope]string
	check  *described.Document
	log    *bytes.Buffer
	opened atomic.Pointer[func(context.Context)] // an owner asks for the store; nil: nobody looks

	stopHub func()
}

// clock is a wall clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// noFolders lets no run read a folder.
type noFolders struct{}

func (noFolders) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]hostrun.ResolvedRoot, error) {
	return nil, nil
}

func (noFolders) Look(*abi.Manifest, map[string]string) ([]files.Root, error) { return nil, nil }

// fakeRuns begins no run, and says what it was asked for.
type fakeRuns struct {
	mu    sync.Mutex
	asked []string
	fails error
	// meanwhile happens once a run has begun; nil: nothing does.
	meanwhile func()
}

// Start waits for a run no longer than ctx lasts, as that of a server.
func (f *fakeRuns) Start(ctx context.Context, _ owner.Actor, o Order) (string, error) {
	err := f.ask("start " + o.Connection + " " + o.Mode)
	if f.meanwhile != nil {
		f.meanwhile()
	}
	if err == nil {
		err = ctx.Err()
	}
	return "run_1", err
}

func (f *fakeRuns) Stop(_ context.Context, _ owner.Actor, id string) error {
	return f.ask("stop " + id)
}

func (f *fakeRuns) ask(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, what)
	return f.fails
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, runs: &fakeRuns{}, tokens: map[access.Scope]string{}, log: &bytes.Buffer{}}
	b.open(t.TempDir())
	b.guard = &web.Guard{Listening: netip.MustParseAddrPort(at), As: func(a owner.Actor) *owner.Owner {
		d := b.owner.Deps
		d.Actor = a
		return owner.New(d)
	}}
	source, err := live.OpenSource(t.Context(), b.owner)
	b.ok(err)
	hub := live.New(source, time.Now, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.Background())
	b.stopHub = stop
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the hub: got %v, want no error", err)
		}
	})
	b.api = New(Deps{Guard: b.guard, Runs: b.runs, Live: hub, Random: rand.Reader, Logger: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Version: "v1", Work: 5 * time.Minute, Others: records.Routes()})
	b.ok(err)
	text, err := b.api.document()
	b.check = described.New(t, text, err)
	for _, scope := range []access.Scope{read, run, manage} {
		made, err := access.CreateToken(t.Context(), b.owner, access.NewToken{Name: string(scope), Scope: scope})
		b.ok(err)
		b.tokens[scope] = made.Secret
	}
	return b
}

// open makes the store, and installs the module that the connection has accepted.
func (b *bed) open(dir string) {
	b.Helper()
	t, plugins := b.T, filepath.Join(dir, "plugins")
	guest := rig.Guest(t, "testplugins/guests/credentialed")
	module, err := os.ReadFile(guest.Path)
	b.ok(err)
	b.ok(os.Mkdir(plugins, 0o700))
	b.ok(os.WriteFile(filepath.Join(plugins, "credentialed.wasm"), module, 0o600))
	raw, err := os.ReadFile("../../../testplugins/guests/credentialed/manifest.json")
	b.ok(err)
	b.store, err = storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(dir, "pdpp.sqlite")), Now: b.clock.Now})
	b.ok(err)
	t.Cleanup(func() { _ = b.store.Close() })
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{"PDPP_DATA_DIR=" + dir, "PDPP_PLUGINS_DIR=" + plugins}})
	b.ok(err)
	engine := rig.Engine(t, plugin.IsolationInline, plugin.Limits{})
	b.owner = owner.New(owner.Deps{
		Config: c, Open: b.reopen, Now: b.clock.Now, Random: rand.Reader, Home: dir,
		Engine: func(use func(*plugin.Engine) error) error { return use(engine) }, Folders: noFolders{},
		Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler), Vault: vault.Options{Dir: dir, Mode: vault.ModeFile},
		Actor: owner.Actor{Face: owner.CommandLine},
	})
	conn, err := b.store.EnsureConnection(t.Context(), "mine", "credentialed")
	b.ok(err)
	b.ok(b.store.PinPlugin(t.Context(), conn.ID, guest.SHA256, raw))
}

func (b *bed) reopen(ctx context.Context) (*storage.Store, error) {
	if opened := b.opened.Load(); opened != nil {
		(*opened)(ctx)
	}
	return b.store, nil
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// answer is what a request was answered.
type answer struct {
	status int
	head   http.Header
	body   string
}

// code is the code of a refusal; "": it was none.
func (a answer) code() string {
	var e wire.Envelope
	if json.Unmarshal([]byte(a.body), &e) != nil {
		return ""
	}
	return e.Error.Code
}

// member returns a member of an answer, as JSON.
func (a answer) member(name string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(a.body), &all) != nil {
		return ""
	}
	return string(all[name])
}

// asks makes a request as the holder of a token with that scope does. Every answer is held
// against the document.
func (b *bed) asks(scope access.Scope, method, path, body string, header ...string) answer {
	b.Helper()
	return b.send(b.request(method, path, body, append([]string{"Authorization", "Bearer " + b.tokens[scope]}, header...)...))
}

func (b *bed) request(method, path, body string, header ...string) *http.Request {
	b.Helper()
	var sent io.Reader = http.NoBody
	if body != "" {
		sent = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(b.Context(), method, "http://"+at+path, sent)
	r.RemoteAddr = "192.0.2.7:4444"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func (b *bed) send(r *http.Request) answer {
	b.Helper()
	w := httptest.NewRecorder()
	b.check.Handler(b, b.api).ServeHTTP(w, r) // OC-09.2
	return answer{w.Code, w.Header(), w.Body.String()}
}

// want fails where an answer is not of that status and code.
func (b *bed) want(name string, a answer, status int, code string) {
	b.Helper()
	if a.status != status || a.code() != code {
		b.Errorf("%s: got %d %s, want %d %q", name, a.status, a.body, status, code)
	}
}

// audited returns the newest audit event, as "operation outcome by a face".
func (b *bed) audited() string {
	b.Helper()
	page, err := b.owner.AuditEvents(b.Context(), owner.AuditQuery{Limit: 1})
	b.ok(err)
	if len(page.Events) == 0 {
		return ""
	}
	e := page.Events[0]
	return e.Operation + " " + e.Outcome + " " + e.Actor
}

var errOfRuns = abi.NewError(abi.CodeConnectionBusy, "another run goes on", "wait for it")
