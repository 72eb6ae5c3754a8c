package served

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// Host serves until its test ends.
type Host struct {
	Server *serving.Server
	Owner  *owner.Owner // who types commands
	Store  *storage.Store
	Dir    string // its data folder

	grace time.Duration
	stop  func() error
}

// New returns a host with these guests, each by its folder, in its plugins folder. It ends
// its runs at once when it stops.
func New(t testing.TB, guests ...string) *Host {
	t.Helper()
	return Patient(t, 0, guests...)
}

// Patient returns a host whose runs may go on for the grace when it stops.
func Patient(t testing.TB, grace time.Duration, guests ...string) *Host {
	t.Helper()
	h := &Host{Dir: t.TempDir(), grace: grace}
	for _, folder := range guests {
		h.Install(t, folder, path.Base(folder))
	}
	limits := plugin.DefaultLimits()
	limits.Describe = 30 * time.Second // of a machine that is busy with other tests
	engine := rig.Engine(t, plugin.IsolationInline, limits)
	fresh.Store(t, filepath.Join(h.Dir, "pdpp.sqlite"))
	h.Owner = Owner(t, h.Dir, engine)
	var err error
	if h.Store, err = h.Owner.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.serve(t)
	return h
}

// Owner returns the owner of a data folder, who types commands. Close it.
func Owner(t testing.TB, dir string, engine *plugin.Engine) *owner.Owner {
	t.Helper()
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{"PDPP_DATA_DIR=" + dir, "PDPP_CREDENTIALS_KEY=file"}})
	if err != nil {
		t.Fatal(err)
	}
	return owner.New(owner.Deps{
		Config: c, Now: time.Now, Random: rand.Reader, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler), Home: dir,
		Vault: vault.Options{Dir: dir, Mode: vault.ModeFile}, Folders: folders{&files.Resolver{Getenv: func(string) string { return "" }, Home: dir}}, Actor: owner.Actor{Face: owner.CommandLine},
		Engine: func(use func(*plugin.Engine) error) error { return use(engine) },
		Open: func(ctx context.Context) (*storage.Store, error) {
			return storage.Open(ctx, storage.Options{Path: c.StorageDSN(), Now: time.Now})
		},
	})
}

// serve serves until the test ends.
func (h *Host) serve(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancelCause(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- serving.Serve(ctx, h.Owner, serving.Request{Workers: 1, Version: "test", Grace: h.grace}, func(s *serving.Server) error {
			h.Server = s
			_, err := s.Until(ctx, func(ctx context.Context, work func(context.Context) error) error {
				close(ready)
				return work(ctx)
			})
			return err
		})
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	h.stop = sync.OnceValue(func() error {
		stop(run.ErrInterrupted)
		return <-ended
	})
	t.Cleanup(func() {
		if err := errors.Join(h.stop(), h.Owner.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Stop ends serving now, and leaves the store open.
func (h *Host) Stop(t testing.TB) {
	t.Helper()
	if err := h.stop(); err != nil {
		t.Error(err)
	}
}

// Install puts a guest into the plugins folder under a name.
func (h *Host) Install(t testing.TB, folder, name string) {
	t.Helper()
	built, err := tree.Module(folder)
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(h.Dir, "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+plugin.Extension), module, 0o600); err != nil { //nolint:gosec // a test names it
		t.Fatal(err)
	}
}

// Connect makes a connection whose module its owner has accepted.
func (h *Host) Connect(t testing.TB, name, connector string, options map[string]string) {
	t.Helper()
	_, err := h.Owner.AddConnection(t.Context(), owner.NewConnection{Name: name, Connector: connector, Options: options, Consent: Word{}})
	if err != nil {
		t.Fatal(err)
	}
}

// Browser returns an owner's browser that is signed in, by the session of that id.
func (h *Host) Browser(t testing.TB, id string) owner.Actor {
	t.Helper()
	store, err := h.Owner.Store(t.Context())
	if err == nil {
		_, err = store.OpenSession(t.Context(), "", storage.Session{ID: id, SHA256: id}, time.Time{}, time.Time{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return owner.Actor{Face: owner.BrowserSession, ID: id, Address: "192.0.2.7"}
}

// Word is the word of an owner who accepts everything that is asked for together.
type Word struct{}

// Ask implements owner.Consent.
func (Word) Ask(_ context.Context, _ *modules.Terms, items, _ []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	return items, nil
}

// Ended waits until a run has ended.
func (h *Host) Ended(t testing.TB, runID string) *storage.Run {
	t.Helper()
	for {
		r, err := h.Store.Run(t.Context(), runID)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != storage.StatusRunning {
			return r
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
