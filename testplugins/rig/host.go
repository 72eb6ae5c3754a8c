package rig

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// Setup has the deviations of a Host from the usual.
type Setup struct {
	Isolation string // plugin.IsolationInline when empty
	Limits    func(*plugin.Limits)
	Roots     map[string]string // folders to grant to guests that may read files, by root name
	Asker     run.Asker
	Logger    *slog.Logger
}

// Host is a store and a runner over it, for one test.
type Host struct {
	Store  *storage.Store
	Engine *plugin.Engine
	Dir    string // the store's folder

	t    testing.TB
	deps run.Deps
	ids  atomic.Int64
}

// NewHost returns a host that ends with the test.
func NewHost(t testing.TB, s Setup) *Host {
	t.Helper()
	h := &Host{t: t, Dir: t.TempDir()}
	limits := plugin.DefaultLimits()
	limits.Describe = 30 * time.Second // of a machine that is busy with other tests
	if s.Limits != nil {
		s.Limits(&limits)
	}
	if s.Isolation == "" {
		s.Isolation = plugin.IsolationInline
	}
	h.Engine = Engine(t, s.Isolation, limits)
	var err error
	if h.Store, err = storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(h.Dir, "pdpp.sqlite")), Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	h.deps = run.Deps{
		Store: h.Store, Engine: h.Engine, Asker: s.Asker, Logger: s.Logger, Now: time.Now,
		Holder: "rig", HolderAlive: func(string) bool { return true },
		NewID: func() string { return fmt.Sprintf("run_%d", h.ids.Add(1)) },
	}
	if s.Roots != nil {
		h.deps.Roots = folders(s.Roots)
	}
	return h
}

// Play makes one run. The error is a refusal, before the run began.
func (h *Host) Play(req run.Request) (*run.Result, error) {
	req.Accept = true // the test's own word
	return run.New(h.deps).Run(h.t.Context(), req)
}

// Keys lists the live records of a stream of a connection, in order.
func (h *Host) Keys(connection, stream string) []string {
	h.t.Helper()
	var keys []string
	err := h.Store.EachRecord(h.t.Context(), connection, stream, func(r storage.Record) error {
		if !r.Deleted {
			keys = append(keys, r.Key)
		}
		return nil
	})
	if err != nil && abi.CodeOf(err) != abi.CodeConnectionUnknown {
		h.t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// Cursors returns the committed cursors of a connection, by stream.
func (h *Host) Cursors(connection string) map[string]string {
	h.t.Helper()
	points, err := h.Store.Checkpoints(h.t.Context(), connection)
	if err != nil && abi.CodeOf(err) != abi.CodeConnectionUnknown {
		h.t.Fatal(err)
	}
	cursors := map[string]string{}
	for _, p := range points {
		if !p.Staged {
			cursors[p.Stream] = string(p.Cursor)
		}
	}
	return cursors
}

// folders grants the same folders to every connector.
type folders map[string]string

// Resolve implements run.RootResolver.
func (f folders) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	var roots []run.ResolvedRoot
	for name, path := range f {
		roots = append(roots, run.ResolvedRoot{Name: name, Path: path, Origin: "the test"})
	}
	return roots, nil
}
