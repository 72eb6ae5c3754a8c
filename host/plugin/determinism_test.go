package plugin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/check"
)

const fickle = "../../../testplugins/guests/fickle"

var fixedStart = time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)

// provider is a Host that keeps every word a guest says. It answers http
// requests three at a time, from another goroutine, the last one first.
type provider struct {
	options string // of START
	said    []string
	held    []func()
}

func (h *provider) Emit(p []byte) error { return h.Message("emit", p) }

func (h *provider) Message(call string, p []byte) error {
	h.said = append(h.said, call+" "+string(p))
	return nil
}

func (h *provider) Log(level int32, text []byte) {
	h.said = append(h.said, fmt.Sprint("log ", level, " ", string(text)))
}

func (h *provider) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	h.said = append(h.said, fmt.Sprint("submit ", op, " ", string(request)))
	switch op {
	case abi.OpStart:
		reply([]byte(`{"type":"START","options":{` + h.options + `}}`))
	case abi.OpHTTP:
		n := len(h.held)
		if h.held = append(h.held, func() { reply(fmt.Appendf(nil, "{\"status\":200}\nbody %d", n)) }); n%3 == 2 {
			go func() {
				for _, answer := range slices.Backward(h.held[n-2:]) {
					answer()
				}
			}()
		}
	default:
		reply([]byte(`{"unix_ms":1}`))
	}
	return nil
}

func fixed() *Determinism { return &Determinism{Start: fixedStart, Seed: [32]byte{1, 2, 3}} }

// played is everything that a guest says.
func played(t *testing.T, o Options, d *Determinism, options string) []string {
	t.Helper()
	h := &provider{options: options}
	grant := Grant{Bindings: map[string]bool{abi.BindingNetwork: true, abi.BindingFilesystem: true}, Deterministic: d}
	exit := mustLoad(t, o, goGuest(t, fickle)).Collect(t.Context(), grant, h)
	if exit.Err != nil || exit.Code != 0 {
		t.Fatalf("got %+v, want exit.Err == nil && exit.Code == 0", exit)
	}
	return h.said
}

// The same answers in the same order make the same words, whatever the guest
// reads of clocks and randomness, in either mode; without that they differ.
func TestDeterministicGuest(t *testing.T) {
	t.Parallel()
	inline := Options{Isolation: IsolationInline, CacheDir: sharedCache(), Limits: testLimits()}
	want := played(t, inline, fixed(), "")
	if len(want) < 20 || !strings.HasPrefix(want[len(want)-1], "done ") {
		t.Fatalf(`got %+v, want len(want) >= 20 && strings.HasPrefix(want[len(want)-1], "done ")`, want)
	}
	eachIsolation(t, func(t *testing.T, o Options) {
		for range 3 {
			if got := played(t, o, fixed(), ""); !slices.Equal(got, want) {
				t.Fatalf("%d of %d:\n%s, want slices.Equal(got, want)", len(got), len(want), firstDifference(got, want))
			}
		}
		if slices.Equal(played(t, o, nil, ""), want) {
			t.Error("nothing changes under the guest: the test proves nothing")
		}
		other := fixed()
		other.Seed[31] = 1
		if slices.Equal(played(t, o, other, ""), want) {
			t.Error("another seed makes no difference")
		}
	})
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return got[i] + "\n" + want[i]
		}
	}
	return "one is longer"
}

// The clocks advance only with answers (a millisecond each) and with sleeps, which
// take no time unless they are paced. No timeout ever passes.
func TestDeterministicClock(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		began := time.Now()
		said := played(t, o, fixed(), `"sleep":"2400h"`)
		if took := time.Since(began); took > time.Minute {
			t.Error("it slept for", took)
		}
		all := strings.Join(said, "\n")
		for what, want := range map[string]string{
			"START and now have arrived": `"at":"2026-01-02T03:04:05.0020006Z","dice"`,
			"and three answers":          `"at":"2026-01-02T03:04:05.0060006Z"`,
			"after a hundred days":       `"cursor":{"at":"2026-04-12T`,
			"no timeouts":                `"timeouts":0}`,
			"on both clocks":             `"since":"2400h0m`,
		} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %s in\n%s, want strings.Contains(all, want)", what, want, all)
			}
		}
		if strings.Contains(all, `"timeouts":1`) {
			t.Error("a wait timed out")
		}
		paced := fixed()
		paced.Paced = true
		began = time.Now()
		slow := played(t, o, paced, `"sleep":"50ms"`)
		if took := time.Since(began); took < 50*time.Millisecond {
			t.Error("a paced sleep took", took)
		}
		if quick := played(t, o, fixed(), `"sleep":"50ms"`); !slices.Equal(slow, quick) {
			t.Error("pacing shows")
		}
	})
}

// An answer that wait has not handed out cannot be read, however long it is
// there, and counts as in flight.
func TestDeterministicAnswersComeByWait(t *testing.T) {
	t.Parallel()
	f := connector(seq(
		i32(1), i32(0), i32(0), call("submit"), drop,
		i32(1), i32(2000), i32(10), call("read"), // before wait
		i32(-1), []byte{0x46, 0x04, 0x40}, i32(0), i32(1), call("emit"), drop, []byte{0x0b}, // i32.eq, if: emit
		i32(0), call("wait"), []byte{0x50, 0x04, 0x40, 0x00, 0x0b}, // i64.eqz, if: trap
		i32(1), i32(2000), i32(10), call("read"), i32(4), []byte{0x47, 0x04, 0x40, 0x00, 0x0b}, // i32.ne, if: trap
	)).file()
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "abcd"}
		if exit := collect(t, o, f, Grant{Deterministic: fixed()}, h); exit.Err != nil || h.emits != 1 {
			t.Errorf("collect(t, o, f, Grant{Deterministic: fixed()}, h): got %+v, %d, want exit.Err == nil && h.emits == 1", exit, h.emits)
		}
	})
	many := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		// All are answered at once, and still only so many may be asked.
		h := &scripted{start: fmt.Sprintf("many %d", abi.MaxInFlight+1)}
		if exit := collect(t, o, many, Grant{Deterministic: fixed()}, h); exit.Err != nil {
			t.Fatalf("collect(t, o, many, Grant{Deterministic: fixed()}, h): got %+v, want exit.Err == nil", exit)
		}
		if !strings.Contains(h.logs[0], "boundary.too_many_in_flight") {
			t.Errorf(`got %+v, want strings.Contains(h.logs[0], "boundary.too_many_in_flight")`, h.logs[0])
		}
	})
}

// A guest that never sees the time pass is still ended, and a stop still reaches
// one that waits.
func TestDeterministicGuestEnds(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.Run = 300 * time.Millisecond
		h := &scripted{start: "waitstop", onSub: func(abi.Operation, []byte, func([]byte)) error { return nil }}
		exit := collect(t, o, f, Grant{Deterministic: fixed()}, h)
		if exit.Err != nil || abi.CodeOf(exit.Stopped) != abi.CodeLimitTime || !slices.Equal(h.logs, []string{"stopped"}) {
			t.Errorf(`got %+v %q, want exit.Err == nil && abi.CodeOf(exit.Stopped) == abi.CodeLimitTime && slices.Equal(h.logs, []string{"stopped"})`, exit, h.logs)
		}
	})
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, year := range []int{-1, 1969, 2201} {
			bad := &Determinism{Start: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
			wantCode(t, collect(t, o, f, Grant{Deterministic: bad}, &scripted{}).Err, abi.CodeConfigInvalid, "")
		}
	})
}

// An Extism guest has the same clock and the same randomness.
func TestDeterministicExtism(t *testing.T) {
	t.Parallel()
	m := extismConnector(nil,
		imported{module: abi.WASIModule, name: "random_get", params: "ii", results: "i"},
		imported{module: abi.WASIModule, name: "clock_time_get", params: "ili", results: "i"})
	n := len(m.imports) - 2
	// The bytes that both wrote to memory are emitted one by one, in one block.
	out := function{params: "l", results: "l"}
	for i := range int64(16) {
		out.body = seq(out.body, getLocal(0), i64(i), []byte{0x7c}, i32(i), []byte{0x2d, 0, 0}, callTo(1)) // i64.add, i32.load8_u
	}
	out.body = seq(out.body, getLocal(0))
	block := m.extraCall(len(m.extra))
	m.extra = append(m.extra, out)
	m.funcs[2].body = seq(
		i32(0), i32(8), callTo(n), drop,
		i32(0), i64(0), i32(8), callTo(n+1), drop,
		i64(16), callTo(0), block, userCall("emit"), drop, zero)
	f := m.file()
	seen := map[string]bool{}
	for _, isolation := range []string{IsolationProcess, IsolationInline} {
		o := Options{Isolation: isolation, CacheDir: sharedCache(), Limits: testLimits()}
		h := &scripted{}
		if exit := collect(t, o, f, Grant{Deterministic: fixed()}, h); exit.Err != nil || len(h.calls) != 1 {
			t.Fatalf("collect(t, o, f, Grant{Deterministic: fixed()}, h): got %+v %q, want exit.Err == nil && len(h.calls) == 1", exit, h.calls)
		}
		seen[h.calls[0]] = true
	}
	check.Equal(t, len(seen), 1, "len(seen)")
	for said := range seen {
		var ns int64
		for i := range 8 {
			ns |= int64(said[len("emit ")+8+i]) << (8 * i)
		}
		if ns != fixedStart.UnixNano() {
			t.Errorf("got %+v, want ns == fixedStart.UnixNano()", ns)
		}
	}
}
