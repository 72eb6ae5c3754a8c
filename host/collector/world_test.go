package collector

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

func TestMain(m *testing.M) { rig.Main(m) }

// scripted is the guest that most tests run; networked one that cannot run here.
const (
	scripted  = "testplugins/guests/scripted"
	networked = "testplugins/guests/downloader"
)

// engine is one for all tests, over one cache: the guest is compiled once.
var engine = sync.OnceValues(func() (*plugin.Engine, error) {
	cache, err := tree.Cache()
	if err != nil {
		return nil, err
	}
	limits := plugin.DefaultLimits()
	limits.Grace = 100 * time.Millisecond
	return plugin.NewEngine(plugin.Options{Isolation: "inline", CacheDir: cache, Limits: limits})
})

// world is a lane and its host.
type world struct {
	*testing.T

	host *fakeHost
	path string
	ids  atomic.Int64
	deps Deps

	unaccepted bool // its owner accepts no module
}

func newWorld(t *testing.T, change ...func(*Deps)) *world {
	t.Helper()
	w := &world{T: t, host: newFakeHost(t), path: filepath.Join(t.TempDir(), "lane.sqlite")}
	w.deps = Deps{
		Profile: &profile.Profile{
			Name: "scripted-src_1", BaseURL: "http://127.0.0.1:7", DeviceID: testDevice, Token: profile.NewToken(testToken),
			SourceInstanceID: testSource, ConnectorID: "scripted", ConnectorInstanceID: "conn_1",
		},
		LanePath: w.path, Transport: w.host, Now: time.Now, Random: func() float64 { return 0 },
		NewID: func() string { return fmt.Sprintf("holder-%d", w.ids.Add(1)) },
		Run: run.Deps{
			NewID:  func() string { return fmt.Sprintf("run_%s_%d", filepath.Base(filepath.Dir(w.path)), w.ids.Add(1)) },
			Holder: "test", HolderAlive: func(string) bool { return true },
		},
	}
	for _, c := range change {
		c(&w.deps)
	}
	return w
}

// guest gives the world an engine, so that a connector can run.
func (w *world) guest() *world {
	w.Helper()
	shared, err := engine()
	w.ok(err)
	w.deps.Run.Engine = shared
	return w
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// collector is a new process on the lane.
func (w *world) collector() *Collector {
	w.Helper()
	c, err := New(w.deps)
	w.ok(err)
	return c
}

// script is a run of the scripted guest, which the owner has accepted.
func (w *world) script(text string) RunRequest {
	w.Helper()
	module := rig.Guest(w, scripted)
	info, _, _, err := w.collector().look(w.Context())
	if w.deps.Run.Engine != nil && !w.unaccepted && w.deps.Profile.ConnectorID == "scripted" && err == nil && info.PinnedSHA256 == "" {
		w.accept(module)
	}
	return RunRequest{Module: module, Options: map[string]string{"script": text}}
}

// accept accepts a module.
func (w *world) accept(module *plugin.File, items ...storage.AcceptedItem) {
	w.Helper()
	c := w.collector()
	d, err := c.describe(w.Context(), module)
	w.ok(err)
	_, err = c.Accept(w.Context(), d.Manifest, module.SHA256, d.raw, items)
	w.ok(err)
}

// run makes one execution, which may not end early.
func (w *world) run(text string) *RunResult {
	w.Helper()
	res, err := w.collector().Run(w.Context(), w.script(text))
	w.ok(err)
	return res
}

// open opens the lane as a run of it does.
func (w *world) open() *storage.Outbox {
	w.Helper()
	s, err := w.collector().open(w.Context())
	w.ok(err)
	return s
}

// enqueue makes an earlier execution that collected n batches of one record each,
// and delivered none.
func (w *world) enqueue(n int) {
	w.Helper()
	w.enqueueStreams(slices.Repeat([]string{"notes"}, n)...)
}

// enqueueStreams is the same with a batch for each stream that is named.
func (w *world) enqueueStreams(streams ...string) {
	w.Helper()
	names := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(streams), "notes"))))
	s := w.open()
	defer func() { w.ok(s.Close()) }()
	conn, err := s.EnsureConnection(w.Context(), "scripted", "scripted")
	w.ok(err)
	id := fmt.Sprintf("run_before_%d", w.ids.Add(1))
	r, err := s.BeginRun(w.Context(), storage.NewRun{
		RunID: id, ConnectionID: conn.ID, Connector: "scripted", Version: "1", ModuleSHA256: "abc", Mode: "incremental", Bookmark: "incremental",
		Holder: "before", Streams: names, LeaseTTL: time.Minute, HolderAlive: func(string) bool { return true },
	})
	w.ok(err)
	for i, stream := range streams {
		b := r.NewBatch()
		key := fmt.Sprintf("%s-%d", id, i)
		b.Add(slices.Index(names, stream), []byte(key), []byte(fmt.Sprintf(`{"id":%q}`, key)), []byte("2026-01-01T00:00:00Z"), false)
		w.ok(r.Write(w.Context(), b))
		w.ok(r.Flush(w.Context()))
	}
	w.ok(r.Finish(w.Context(), storage.Outcome{
		Status: run.StatusSucceeded, Checkpoints: []storage.StateCommit{{Stream: "notes", Cursor: []byte(fmt.Sprintf(`{"run":%q}`, id))}},
	}))
}

// counts reads the lane without changing it.
func (w *world) counts() storage.OutboxCounts {
	w.Helper()
	_, c, err := storage.InspectLane(w.Context(), w.path, time.Now())
	w.ok(err)
	return c
}

func (w *world) same(got, want any, what string) {
	w.Helper()
	if g, e := fmt.Sprint(got), fmt.Sprint(want); g != e {
		w.Errorf("%s: got %s, want %s", what, g, e)
	}
}

func records(stream string, from, to int) string {
	return fmt.Sprintf("records %s %d %d\n", stream, from, to)
}

func slice(stream, cursor string) string {
	return fmt.Sprintf("state {\"type\":\"STATE\",\"stream\":%q,\"cursor\":%s,\"slice\":{\"id\":\"s\",\"complete\":true}}\n", stream, cursor)
}

func state(stream, cursor string) string {
	return fmt.Sprintf("state {\"type\":\"STATE\",\"stream\":%q,\"cursor\":%s}\n", stream, cursor)
}

func done(n int) string {
	return fmt.Sprintf("done {\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":%d}", n)
}
