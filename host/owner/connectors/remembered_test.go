package connectors_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

func TestMain(m *testing.M) { rig.Main(m) }

// loads counts the modules that an engine loaded.
type loads struct{ atomic.Int64 }

func (l *loads) Enabled(context.Context, slog.Level) bool { return true }
func (l *loads) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *loads) WithGroup(string) slog.Handler            { return l }
func (l *loads) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "plugin loaded" {
		l.Add(1)
	}
	return nil
}

// A page of connectors asks each module once, however often and by however many it is opened,
// and a module that took another's place is another one. An owner accepts the module
// whose bytes lie there, also where the list cannot tell that they changed.
func TestModulesAreAskedOnce(t *testing.T) {
	t.Parallel()
	cache, err := tree.Cache()
	if err != nil {
		t.Fatal(err)
	}
	limits, loaded := plugin.DefaultLimits(), new(loads)
	limits.Describe = 30 * time.Second // of a machine that is busy with other tests
	engine, err := plugin.NewEngine(plugin.Options{Isolation: plugin.IsolationInline, CacheDir: cache, Limits: limits, Logger: slog.New(loaded)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	o := served.Owner(t, t.TempDir(), engine)
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Modules = new(modules.Memory)
	guest, at := rig.Guest(t, "testplugins/guests/scripted").Bytes, time.Now().Add(-time.Hour)
	path := filepath.Join(o.Config.PluginsDir(), "scripted.wasm")
	// module is the guest with a custom section of one byte.
	module := func(b byte) *plugin.File {
		return plugin.FromBytes("scripted", append(bytes.Clone(guest), 0, 3, 1, 'x', b))
	}
	put := func(path string, f *plugin.File) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(what string, f *plugin.File, most int64) {
		t.Helper()
		all, err := connectors.List(t.Context(), o)
		if err != nil || len(all) != 1 || all[0].Problem != nil || all[0].SHA256 != f.SHA256 || all[0].SizeBytes != f.Size {
			t.Errorf("%s: got %+v, %v; want the module %s", what, all, err, f.SHA256)
		}
		if got := loaded.Load(); got != most {
			t.Errorf("%s: got %d loads, want %d", what, got, most)
		}
	}
	first, second, third := module(1), module(2), module(3)
	put(path, first)
	wants("the first list", first, 1)
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() { wants("a list", first, 1) })
	}
	both.Wait()
	if i, err := connectors.Inspect(t.Context(), o, "scripted"); err != nil || i.SHA256 != first.SHA256 || loaded.Load() != 1 {
		t.Errorf("its page: got %+v, %v and %d loads; want the module %s and 1 load", i, err, loaded.Load(), first.SHA256)
	}

	put(path+".new", second)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	wants("another file of the same size and time", second, 2)
	put(path, third) // the same file, of the same size and time
	f, err := connectors.Look(t.Context(), o, connectors.OfferQuery{Connector: "scripted"})
	if err != nil || f.SHA256 != third.SHA256 {
		t.Errorf("its terms: got %+v, %v; want those of the bytes that lie there, %s", f, err, third.SHA256)
	}
	at = time.Now()
	put(path, first)
	wants("a file of this moment", first, 3)
	put(path, second)
	wants("a file that changed in the same moment", second, 3)
}
