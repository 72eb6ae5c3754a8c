package given

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// folders is how many folders are made for each connector: PDPP_TEST_FOLDERS, or a few.
func folders(t *testing.T) uint64 {
	text := os.Getenv("PDPP_TEST_FOLDERS")
	if text == "" {
		return 100
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("PDPP_TEST_FOLDERS: got %q, want a number", text)
	}
	return n
}

// granted grants one folder under the connector's own name.
type granted struct{ name, path string }

// Resolve implements run.RootResolver.
func (g granted) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	return []run.ResolvedRoot{{Name: g.name, Path: g.path, Origin: "given"}}, nil
}

// collector runs one connector in this process, over stores of its own.
type collector struct {
	connector string
	dir       string // for its folders and its stores
	deps      run.Deps
	file      *plugin.File
	now       time.Time
}

func newCollector(t *testing.T, connector string) *collector {
	t.Helper()
	module, err := tree.Module("plugins/" + connector)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := tree.Cache()
	if err != nil {
		t.Fatal(err)
	}
	limits := plugin.DefaultLimits()
	limits.Describe = 2 * time.Minute // a machine that is busy with other tests
	engine, err := plugin.NewEngine(plugin.Options{Isolation: plugin.IsolationInline, CacheDir: cache, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	file, err := plugin.Open(module, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{connector: connector, dir: t.TempDir(), file: file, now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	var ids atomic.Int64
	c.deps = run.Deps{
		Engine: engine, Now: func() time.Time { return c.now }, Holder: "test", HolderAlive: func(string) bool { return true },
		NewID: func() string { return fmt.Sprintf("run_%08d", ids.Add(1)) },
	}
	return c
}

// over calls f with the collector over a store of its own.
func (c *collector) over(t *testing.T, f func()) {
	t.Helper()
	dir := filepath.Join(c.dir, "store")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	c.deps.Store, err = storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(dir, "pdpp.sqlite")), Now: c.deps.Now})
	if err != nil {
		t.Fatal(err)
	}
	f()
	if err := errors.Join(c.deps.Store.Close(), os.RemoveAll(dir)); err != nil {
		t.Error(err)
	}
}

// verdict collects the folder for a connection of its own, and returns what its owner is told.
func (c *collector) verdict(ctx context.Context, t *testing.T, connection, dir string) (*run.Result, verdict.RenderedVerdict) {
	t.Helper()
	c.deps.Roots = granted{c.connector, dir}
	res, err := run.New(c.deps).Run(ctx, run.Request{Connection: connection, Module: c.file, Accept: true})
	if err != nil {
		t.Fatalf("%s: %v", connection, err)
	}
	e, err := c.deps.Store.EvidenceOf(ctx, connection)
	if err != nil {
		t.Fatal(err)
	}
	return res, verdict.OfStored(e.Facts, e.Moment(c.now, func(string) bool { return true }), true)
}

// AC-15 and AC-04: for any folder whose items are known, each item is a record or is counted, and the
// connection is healthy if and only if nothing is missing but what is repeated or passed over by a rule.
func TestEveryItemIsAccountedFor(t *testing.T) {
	t.Parallel()
	for _, connector := range corpus.Kinds() {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t, connector)
			for first, n := uint64(0), folders(t); first < n; first += eachStore {
				c.over(t, func() {
					for seed := first; seed < min(first+eachStore, n); seed++ {
						c.try(t, seed)
					}
				})
			}
		})
	}
}

// eachStore is how many folders are collected into one store: a run is slower among thousands.
const eachStore = 200

// try makes the folder of a seed, and collects it.
func (c *collector) try(t *testing.T, seed uint64) {
	t.Helper()
	m := newMaker(seed)
	makers[c.connector](m)
	m.beside()
	at := filepath.Join(c.dir, strconv.FormatUint(seed, 10))
	m.write(t, at)
	res, v := c.verdict(t.Context(), t, fmt.Sprintf("c%d", seed), at)
	if problem := m.judge(res, string(v.Pill.Tone)); problem != "" {
		t.Errorf("%s, seed %d: %s\n%v\n%s: %s\nerror %+v\ngaps %+v\nfiles %+v\naccounts %+v", c.connector, seed, problem, sorted(m.given), v.Pill.Tone, v.ForwardStatement, res.Error, res.KnownGaps, res.Files, res.Accounts)
	}
	_ = os.RemoveAll(at)
}

// judge says what is wrong with the run and its verdict, "" if nothing is.
func (m *maker) judge(res *run.Result, tone string) string {
	for stream, want := range m.records {
		if got := res.Records[stream].New; got != int64(want) {
			return fmt.Sprintf("got %d records of %s, want %d", got, stream, want)
		}
	}
	for i := range res.Accounts {
		a := &res.Accounts[i]
		if got, want := a.Emitted+a.Unchanged+a.Duplicate, int64(m.records[a.Stream]+m.again[a.Stream]); got != want {
			return fmt.Sprintf("the account of %s has %d whole items, want %d", a.Stream, got, want)
		}
		if sum := a.Emitted + a.Unchanged + a.Merged + a.Duplicate + a.KeptBack + a.NotRecord; sum != a.Met {
			return fmt.Sprintf("the account of %s has %d items and met %d", a.Stream, sum, a.Met)
		}
	}
	green := tone == "green"
	switch {
	case len(res.Records) == 0 && green:
		return "got healthy, want that nothing was read"
	case m.whole() > 0 && green != (m.amiss == 0):
		return fmt.Sprintf("got %s over %d that are amiss", tone, m.amiss)
	}
	return ""
}

// whole returns how many records the folder has.
func (m *maker) whole() (n int) {
	for _, of := range m.records {
		n += of
	}
	return n
}
