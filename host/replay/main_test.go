package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

const (
	fickle   = "testplugins/guests/fickle"
	scripted = "testplugins/guests/scripted"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// host is a run: it answers START with options, http requests three at a time
// and the last one first, and interactions with a code.
type host struct {
	options string
	body    string // of an http answer; %d is its number
	code    string
	late    bool // http answers come from another goroutine
	refuse  abi.Operation
	violate string // the call whose message ends the guest
	said    []string
	stderr  []string
	held    []func()
}

func (h *host) Emit(p []byte) error { return h.Message("emit", p) }

func (h *host) Message(call string, p []byte) error {
	h.said = append(h.said, call+" "+string(p))
	if call == h.violate {
		return abi.NewError(abi.CodeKeyInvalid, "the key is "+h.code, "")
	}
	return nil
}

func (h *host) Log(level int32, text []byte) {
	if level == 4 {
		h.stderr = append(h.stderr, string(text))
	}
}

func (h *host) Submit(op abi.Operation, _ []byte, reply func([]byte)) error {
	if op == h.refuse {
		return abi.NewError(abi.CodeTooManyMessages, "not now, "+h.code, "").WithDetail("ask later")
	}
	switch op {
	case abi.OpStart:
		reply([]byte(`{"type":"START","run_id":"run_1","options":{` + h.options + `},"state":null,"scope":{"streams":[{"name":"answers"}]}}`))
	case abi.OpHTTP:
		body := h.body
		if body == "" {
			body = "body %d\xff"
		}
		n := len(h.held)
		h.held = append(h.held, func() { reply(fmt.Appendf(nil, "{\"status\":200}\n"+body, n)) })
		if n%3 != 2 {
			return nil
		}
		all := slices.Clone(h.held[n-2:])
		answer := func() {
			for _, a := range slices.Backward(all) {
				a()
			}
		}
		if h.late {
			go answer()
		} else {
			answer()
		}
	case abi.OpInteract:
		reply([]byte(`{"type":"INTERACTION_RESPONSE","request_id":"q1","status":"success","data":{"code":"` + h.code + `"}}`))
	default:
		reply([]byte(`{"unix_ms":1767225600000}`))
	}
	return nil
}

func load(t testing.TB, isolation, folder string) *plugin.Guest {
	t.Helper()
	limits := plugin.DefaultLimits()
	limits.Describe, limits.Run, limits.Grace = 2*time.Minute, time.Minute, 100*time.Millisecond // compiling with the race detector is slow
	g, err := rig.Engine(t, isolation, limits).Load(t.Context(), rig.Guest(t, folder))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func granted() plugin.Grant {
	return plugin.Grant{Bindings: map[string]bool{
		abi.BindingNetwork: true, abi.BindingFilesystem: true, abi.BindingInteractive: true, abi.BindingBrowser: false,
	}}
}

func options() Options { return Options{Mode: abi.ModeIncremental, Start: start, Seed: [32]byte{7}} }

// record records one collect of a guest over h, and returns where.
func record(t testing.TB, isolation, folder string, h *host, o Options) (string, plugin.Exit, error) {
	t.Helper()
	r, path := newRecorderAt(t, o)
	exit := r.Collect(context.Background(), load(t, isolation, folder), granted(), h)
	return path, exit, r.Close()
}

func newRecorderAt(t testing.TB, o Options) (*Recorder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	r, err := Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, path
}

// recorded is record for one that has to work.
func recorded(t testing.TB, isolation, folder string, h *host) string {
	t.Helper()
	path, exit, err := record(t, isolation, folder, h, options())
	if err != nil {
		t.Fatalf("got %v; %+v, want no error", err, exit)
	}
	return path
}

func play(t testing.TB, isolation, folder, path string) (*Report, error) {
	t.Helper()
	tape, err := Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tape.Close() }()
	return Play(context.Background(), tape, load(t, isolation, folder))
}

// plays fails unless the guest does exactly what is recorded.
func plays(t testing.TB, isolation, folder, path string) {
	t.Helper()
	report, err := play(t, isolation, folder, path)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Identical {
		t.Fatalf("got %+v, want report.Identical", *report.Difference)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// edit replaces text in a recording, which must be there.
func edit(t testing.TB, path, old, now string) {
	t.Helper()
	text := read(t, path)
	if !strings.Contains(text, old) {
		t.Fatalf("there is no %s in\n%s, want strings.Contains(text, old)", old, text)
	}
	write(t, path, strings.Replace(text, old, now, 1))
}

func wantCode(t testing.TB, err error, code abi.Code) {
	t.Helper()
	if err == nil || abi.CodeOf(err) != code {
		t.Fatalf("%v, want %s", err, code)
	}
}
