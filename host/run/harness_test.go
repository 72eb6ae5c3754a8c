package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "plugin-worker" {
		os.Exit(plugin.WorkerMain(os.Stdin, os.Stdout))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		tree.Remove()
		os.Exit(code)
	}))
}

// scripted and enumerating build the scripted guest once for the whole test binary, the
// second with the call enumerate.
var (
	scripted    = sync.OnceValues(func() (*plugin.File, error) { return built("testplugins/guests/scripted") })
	enumerating = sync.OnceValues(func() (*plugin.File, error) { return built("testplugins/guests/scripted@enumerate") })
)

func built(folder string) (*plugin.File, error) {
	path, err := tree.Module(folder)
	if err != nil {
		return nil, err
	}
	return plugin.Open(path, 64<<20)
}

// engines are the inline engines that tests share, by the SHA-256 of the module: reading and checking its
// machine code takes longer than most of what a test does, and far longer under the race detector.
var engines = shared{engines: map[string]*plugin.Engine{}}

type shared struct {
	mu      sync.Mutex
	engines map[string]*plugin.Engine
}

func (s *shared) of(module string, o plugin.Options) (*plugin.Engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.engines[module]; e != nil {
		return e, nil
	}
	e, err := plugin.NewEngine(o)
	if err == nil {
		s.engines[module] = e
	}
	return e, err
}

// inBubble reports whether the time is that of testing/synctest, whose channels nothing outside may use.
func inBubble() bool { return time.Now().Year() < 2020 }

type host struct {
	t      *testing.T
	store  *storage.Store
	runner *Runner
	file   *plugin.File
	dir    string
	ids    atomic.Int64
	deps   Deps
}

type setup struct {
	isolation string
	asker     Asker
	sender    Sender
	roots     RootResolver
	limits    func(*plugin.Limits)
	holder    string
	alive     func(string) bool
	path      string
	lane      bool // the store is a collector's outbox
	enumerate bool // the guest has the call enumerate
	now       func() time.Time
}

func newHost(t *testing.T, s setup) *host {
	t.Helper()
	build := scripted
	if s.enumerate {
		build = enumerating
	}
	file, err := build()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := tree.Cache()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, file: file, dir: t.TempDir()}
	if s.path == "" {
		s.path = filepath.Join(h.dir, "pdpp.sqlite")
	}
	if s.now == nil {
		s.now = time.Now
	}
	options := storage.Options{Path: fresh.Store(t, s.path), Now: s.now}
	if s.lane {
		outbox, err := storage.OpenOutbox(t.Context(), options, storage.Lane{SourceInstanceID: "source", ConnectorID: "scripted"})
		if err != nil {
			t.Fatal(err)
		}
		h.store = outbox.Store
	} else if h.store, err = storage.Open(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.store.Close() })
	limits := plugin.DefaultLimits()
	limits.Describe = 2 * time.Minute // of a machine that is busy with other tests
	if s.limits != nil {
		s.limits(&limits)
	}
	if s.isolation == "" {
		s.isolation = "inline"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	running := plugin.Options{Isolation: s.isolation, CacheDir: cache, Limits: limits, WorkerCommand: []string{self, "plugin-worker"}}
	var engine *plugin.Engine
	if s.isolation == "inline" && s.limits == nil && !inBubble() {
		engine, err = engines.of(file.SHA256, running)
	} else if engine, err = plugin.NewEngine(running); err == nil {
		t.Cleanup(func() { _ = engine.Close() })
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.holder == "" {
		s.holder = "test-" + t.Name()
	}
	if s.alive == nil {
		s.alive = func(string) bool { return true }
	}
	h.deps = Deps{
		Store: h.store, Engine: engine, Asker: s.asker, Sender: s.sender, Roots: s.roots, Now: s.now, Holder: s.holder, HolderAlive: s.alive,
		NewID: func() string { return fmt.Sprintf("run_%s_%d", filepath.Base(h.dir), h.ids.Add(1)) },
	}
	h.runner = New(h.deps)
	return h
}

// play runs the guest through a script and returns how that ended.
func (h *host) play(script string, change ...func(*Request)) (*Result, error) {
	return h.playCtx(h.t.Context(), script, change...)
}

func (h *host) playCtx(ctx context.Context, script string, change ...func(*Request)) (*Result, error) {
	req := Request{Module: h.file, Accept: true, Options: map[string]string{"script": script}}
	for _, c := range change {
		c(&req)
	}
	return h.runner.Run(ctx, req)
}

func (h *host) mustPlay(script string, change ...func(*Request)) *Result {
	h.t.Helper()
	res, err := h.play(script, change...)
	if err != nil {
		h.t.Fatal(err)
	}
	return res
}

// succeed plays a script whose run has to succeed.
func (h *host) succeed(script string, change ...func(*Request)) *Result {
	h.t.Helper()
	res := h.mustPlay(script, change...)
	if res.Status != StatusSucceeded {
		h.t.Fatalf("got %s %s %+v, want succeeded", res.Status, res.Reason, res.Error)
	}
	return res
}

// keys lists the live records of a stream.
func (h *host) keys(stream string) string {
	h.t.Helper()
	var out []string
	err := h.store.EachRecord(h.t.Context(), "scripted", stream, func(r storage.Record) error {
		if !r.Deleted {
			out = append(out, r.Key)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// cursor returns a stream's committed incremental cursor, "" without one.
func (h *host) cursor(stream string) string {
	h.t.Helper()
	checkpoints, err := h.store.Checkpoints(h.t.Context(), "scripted")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range checkpoints {
		if c.Stream == stream && c.Bookmark == abi.ModeIncremental {
			return string(c.Cursor)
		}
	}
	return ""
}

func scopeOf(names ...string) abi.Scope {
	var s abi.Scope
	for _, n := range names {
		s.Streams = append(s.Streams, abi.StreamScope{Name: n})
	}
	return s
}

func manifestOf(streams ...abi.Stream) *abi.Manifest {
	return &abi.Manifest{ConnectorKey: "t", Streams: streams}
}

func done(n int) string {
	return fmt.Sprintf("\ndone {\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":%d}", n)
}

func state(stream, cursor string) string {
	return fmt.Sprintf("\nstate {\"type\":\"STATE\",\"stream\":%q,\"cursor\":%s}", stream, cursor)
}

func slice(stream, cursor string) string {
	return fmt.Sprintf("\nstate {\"type\":\"STATE\",\"stream\":%q,\"cursor\":%s,\"slice\":{\"id\":\"s\",\"complete\":true}}", stream, cursor)
}

func expectFailure(t *testing.T, res *Result, err error, reason abi.Reason, code abi.Code) {
	t.Helper()
	if err != nil {
		t.Fatalf("got the run refused with %v, want failed %s %s", err, reason, code)
	}
	if res.Status != StatusFailed || res.Reason != string(reason) || res.Error == nil || res.Error.Code != string(code) {
		t.Fatalf("got %s %s %+v, want failed %s %s", res.Status, res.Reason, res.Error, reason, code)
	}
}

var errTest = errors.New("test")
