package plugin

import (
	"bytes"
	"context"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	shared "github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// built holds the std Go guests, compiled once for the whole test binary.
var built = struct {
	sync.Mutex
	files map[string]*File
}{files: map[string]*File{}}

// goGuest builds testdata/name, or the folder that name leads to, with the Go toolchain that runs the tests.
func goGuest(t testing.TB, name string) *File {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if f := built.files[name]; f != nil {
		return f
	}
	out, err := shared.Module(path.Join("host/plugin/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(out, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	built.files[name] = f
	return f
}

// scripted is a Host that answers the start request with a command and keeps
// what it gets.
type scripted struct {
	start  string
	emits  int
	bytes  int
	calls  []string // in order: emit, or the name of the message
	logs   []string
	onEmit func(p []byte) error
	onSub  func(op abi.Operation, request []byte, reply func([]byte)) error
	onLog  func()
}

func (h *scripted) Emit(p []byte) error {
	h.emits++
	h.bytes += len(p)
	if len(p) < 100 {
		h.calls = append(h.calls, "emit "+string(p))
	}
	if h.onEmit != nil {
		return h.onEmit(p)
	}
	return nil
}

func (h *scripted) Message(call string, p []byte) error {
	h.calls = append(h.calls, call+" "+string(p))
	return nil
}

func (h *scripted) Log(_ int32, text []byte) {
	h.logs = append(h.logs, string(text))
	if h.onLog != nil {
		h.onLog()
	}
}

func (h *scripted) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	if op == abi.OpStart {
		reply([]byte(h.start))
		return nil
	}
	if h.onSub != nil {
		return h.onSub(op, bytes.Clone(request), reply)
	}
	reply([]byte(`{"unix_ms":1}`))
	return nil
}

// eachIsolation runs f once for each mode, with a shared cache folder.
func eachIsolation(t *testing.T, f func(t *testing.T, o Options)) {
	t.Helper()
	for _, mode := range []string{IsolationProcess, IsolationInline} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f(t, Options{Isolation: mode, CacheDir: sharedCache(), Limits: testLimits()})
		})
	}
}

// testLimits are wide enough for a loaded machine; tests of a limit set their own.
func testLimits() Limits {
	return Limits{Describe: 30 * time.Second, Run: time.Minute, Grace: time.Second}
}

// sharedCache is where each guest is compiled once for each mode.
func sharedCache() string {
	dir, err := shared.Cache()
	if err != nil {
		panic(err)
	}
	return dir
}

// load loads file and closes everything at the test's end.
func load(t testing.TB, o Options, file *File) (*Guest, error) {
	t.Helper()
	e, err := NewEngine(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e.Load(t.Context(), file)
}

func mustLoad(t testing.TB, o Options, file *File) *Guest {
	t.Helper()
	g, err := load(t, o, file)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// collect loads file and collects with h, which gets command as its START.
func collect(t testing.TB, o Options, file *File, grant Grant, h *scripted) Exit {
	t.Helper()
	return mustLoad(t, o, file).Collect(context.Background(), grant, h)
}
