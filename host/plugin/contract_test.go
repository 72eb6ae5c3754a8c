package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The guarantees to a well-behaved guest, in both isolation modes.

func TestDescribe(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		g := mustLoad(t, o, f)
		for range 2 { // each time in a fresh instance
			m, err := g.Describe(t.Context())
			if err != nil || string(m) != `{"connector_key":"plain"}` {
				t.Fatalf("got %+v, %+v, want no error && string(m) == `{\"connector_key\":\"plain\"}`", string(m), err)
			}
		}
		if i := g.Info(); i.Kind != KindRaw || i.ABI != 1 || i.SHA256 != f.SHA256 || !slices.Contains(i.Imports, "pdpp.emit") {
			t.Fatalf(`g.Info(): got %+v, want i.Kind == KindRaw && i.ABI == 1 && i.SHA256 == f.SHA256 && slices.Contains(i.Imports, "pdpp.emit")`, i)
		}
	})
}

func TestCollectOrder(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "state"}
		exit := collect(t, o, f, Grant{}, h)
		if !exit.Returned || exit.Code != 0 || exit.Err != nil || exit.Stopped != nil {
			t.Fatalf("got %+v, want exit.Returned && exit.Code == 0 && exit.Err == nil && exit.Stopped == nil", exit)
		}
		want := []string{"emit one", `state {"type":"STATE"}`, `progress {"type":"PROGRESS"}`, "emit two", `done {"type":"DONE"}`}
		if !slices.Equal(h.calls, want) {
			t.Fatalf("got %+v, want slices.Equal(h.calls, want)", h.calls)
		}
	})
}

// RT-09.1: every byte before DONE, and DONE itself, arrive whole, however
// slowly the host takes them.
func TestDoneIsNeverLost(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "emit 100"}
		gate := make(chan struct{})
		h.onEmit = func([]byte) error { <-gate; return nil }
		go func() {
			for range 100 {
				gate <- struct{}{}
			}
		}()
		exit := collect(t, o, f, Grant{}, h)
		if exit.Err != nil || h.emits != 100 || h.calls[len(h.calls)-1] != `done {"type":"DONE"}` {
			t.Fatalf("got %+v %d %v, want exit.Err == nil && h.emits == 100 && h.calls[len(h.calls)-1] == `done {\"type\":\"DONE\"}`", exit, h.emits, h.calls)
		}
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: fmt.Sprintf("many %d", abi.MaxInFlight+1)}
		var held []func()
		h.onSub = func(_ abi.Operation, _ []byte, reply func([]byte)) error {
			n := len(held)
			held = append(held, func() { reply(fmt.Appendf(nil, "answer number %d", n)); reply([]byte("twice")) })
			return nil
		}
		h.onLog = func() { // the refusal of one too many
			h.onLog = nil
			go func() { // in the opposite order, from another goroutine
				for _, h := range slices.Backward(held) {
					h()
				}
			}()
		}
		if exit := collect(t, o, f, Grant{}, h); exit.Err != nil {
			t.Fatalf("collect(t, o, f, Grant{}, h): got %+v, want exit.Err == nil", exit)
		}
		if !strings.Contains(h.logs[0], "boundary.too_many_in_flight") {
			t.Errorf(`got %+v, want strings.Contains(h.logs[0], "boundary.too_many_in_flight")`, h.logs[0])
		}
		// Handle 1 was the start request, so request n has handle n+2.
		for i, l := range h.logs[1 : abi.MaxInFlight+1] {
			n := abi.MaxInFlight - 1 - i
			if want := fmt.Sprintf("%d=answer number %d", n+2, n); l != want {
				t.Fatalf("answer %d is %q, want %q", i, l, want)
			}
		}
		if h.logs[len(h.logs)-1] != "idle -1" {
			t.Errorf(`got %+v, want h.logs[len(h.logs)-1] == "idle -1"`, h.logs[len(h.logs)-1])
		}
	})
}

func TestSubmitRefusals(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	for op, want := range map[int]string{
		int(abi.OpHTTP):     string(abi.CodeBindingNotGranted),
		int(abi.OpBrowser):  abi.BindingBrowser,
		int(abi.OpInteract): "the owner is busy",
		99:                  string(abi.CodeOperationUnknown),
		-1:                  string(abi.CodeOperationUnknown),
		int(abi.OpGaps):     string(abi.CodeInternal),
	} {
		t.Run(fmt.Sprint(op), func(t *testing.T) {
			t.Parallel()
			eachIsolation(t, func(t *testing.T, o Options) {
				h := &scripted{start: fmt.Sprintf("ask %d", op)}
				h.onSub = func(op abi.Operation, _ []byte, _ func([]byte)) error {
					if op == abi.OpInteract {
						return abi.NewError(abi.CodeInteractionPending, "the owner is busy", "")
					}
					return errors.New("a secret of the host's")
				}
				exit := collect(t, o, f, Grant{Bindings: map[string]bool{abi.BindingInteractive: true}}, h)
				if exit.Err != nil || len(h.logs) != 1 || !strings.Contains(h.logs[0], want) {
					t.Fatalf("got %+v %v, want exit.Err == nil && len(h.logs) == 1 && strings.Contains(h.logs[0], want)", exit, h.logs)
				}
				// Invariant 5: what the host says to itself stays there.
				if strings.Contains(h.logs[0], "secret") {
					t.Errorf(`got %+v, want !strings.Contains(h.logs[0], "secret")`, h.logs[0])
				}
			})
		})
	}
}

func TestLogIsTamed(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "print"}
		exit := collect(t, o, f, Grant{}, h)
		if exit.Err != nil || exit.Written != "to standard error\n" {
			t.Fatalf(`got %+v, want exit.Err == nil && exit.Written == "to standard error\n"`, exit)
		}
		if want := []string{"to standard error", "a log line[2J forged"}; !slices.Equal(h.logs, want) {
			t.Fatalf(`[]string{"to standard error", "a log line[2J forged"}: got %q, want slices.Equal(h.logs, want)`, h.logs)
		}
	})
}

func TestRealClock(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "clock"}
		if exit := collect(t, o, f, Grant{}, h); exit.Err != nil || len(h.logs) > 0 {
			t.Fatalf("collect(t, o, f, Grant{}, h): got %+v %v, want exit.Err == nil && len(h.logs) <= 0", exit, h.logs)
		}
	})
}

// A stop ends a blocked wait and is what the next calls answer; a guest that
// complies has returned by itself.
func TestSoftStop(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.Grace = MaxGrace
		g := mustLoad(t, o, f)
		ctx, cancel := context.WithCancelCause(t.Context())
		asked := abi.NewError(abi.CodeFenced, "a newer run took over", "")
		h := &scripted{start: "waitstop"}
		h.onSub = func(abi.Operation, []byte, func([]byte)) error {
			cancel(asked)
			return nil
		}
		exit := g.Collect(ctx, Grant{}, h)
		if !exit.Returned || exit.Err != nil || !errors.Is(exit.Stopped, asked) || !slices.Equal(h.logs, []string{"stopped"}) {
			t.Fatalf(`got %+v %v, want exit.Returned && exit.Err == nil && errors.Is(exit.Stopped, asked) && slices.Equal(h.logs, []string{"stopped"})`, exit, h.logs)
		}
	})
}

func TestHostErrorEndsTheGuest(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		refusal := abi.NewError(abi.CodeKeyOutsideResource, "not yours", "")
		h := &scripted{start: "outflood"}
		h.onEmit = func([]byte) error {
			if h.emits == 3 {
				return refusal
			}
			return nil
		}
		exit := collect(t, o, f, Grant{}, h)
		if exit.Returned || !errors.Is(exit.Err, refusal) || h.emits != 3 {
			t.Fatalf("got %+v %d, want !exit.Returned && errors.Is(exit.Err, refusal) && h.emits == 3", exit, h.emits)
		}
	})
}

func TestReturnCode(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		exit := collect(t, o, f, Grant{}, &scripted{start: "code 7"})
		if !exit.Returned || exit.Code != 7 || exit.Err != nil {
			t.Fatalf("got %+v, want exit.Returned && exit.Code == 7 && exit.Err == nil", exit)
		}
	})
}

func TestCollectOnce(t *testing.T) {
	t.Parallel()
	f := connector(nil).file()
	eachIsolation(t, func(t *testing.T, o Options) {
		g := mustLoad(t, o, f)
		if exit := g.Collect(t.Context(), Grant{}, &scripted{}); exit.Err != nil {
			t.Fatalf("g.Collect(t.Context(), Grant{}, &scripted{}): got %+v, want exit.Err == nil", exit.Err)
		}
		wantCode(t, g.Collect(t.Context(), Grant{}, &scripted{}).Err, abi.CodeInternal)
	})
}

func TestClosedEngineAndGuest(t *testing.T) {
	t.Parallel()
	f := connector(nil).file()
	eachIsolation(t, func(t *testing.T, o Options) {
		e, err := NewEngine(o)
		if err != nil {
			t.Fatal(err)
		}
		g, err := e.Load(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(e.Close(), e.Close(), g.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Load(t.Context(), f); err == nil {
			t.Error("a closed engine loaded a module")
		}
		if _, err := g.Describe(t.Context()); err == nil {
			t.Error("a closed guest described itself")
		}
	})
}

func TestCancelledLoad(t *testing.T) {
	t.Parallel()
	m := connector(nil)
	m.funcs[0].body = loop(nil)
	eachIsolation(t, func(t *testing.T, o Options) {
		e, err := NewEngine(o)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close() //nolint:errcheck // a test
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := e.Load(ctx, m.file()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("e.Load(ctx, m.file()): got %+v, want errors.Is(err, context.DeadlineExceeded)", err)
		}
	})
}

// Closing a guest ends its collect.
func TestCloseEndsCollect(t *testing.T) {
	t.Parallel()
	f := connector(seq(zero, i32(1), call("emit"), drop, loop(nil))).file()
	eachIsolation(t, func(t *testing.T, o Options) {
		g := mustLoad(t, o, f)
		h := &scripted{onEmit: func([]byte) error {
			go g.Close() //nolint:errcheck // a test
			return nil
		}}
		exit := g.Collect(t.Context(), Grant{}, h)
		if exit.Returned || abi.CodeOf(exit.Err) != abi.CodeInterrupted {
			t.Fatalf("got %+v, want !exit.Returned && abi.CodeOf(exit.Err) == abi.CodeInterrupted", exit)
		}
	})
}
