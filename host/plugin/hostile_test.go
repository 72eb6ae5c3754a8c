package plugin

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Behaviour of hostile or broken guests, and the result for each.

// ends runs a module and checks how it ended.
func ends(t *testing.T, o Options, m *module, code abi.Code, in ...string) (Exit, *scripted) {
	t.Helper()
	h := &scripted{}
	exit := collect(t, o, m.file(), Grant{}, h)
	if code == "" {
		if exit.Err != nil {
			t.Fatalf("got %+v, want exit.Err == nil", exit)
		}
		return exit, h
	}
	if exit.Returned {
		t.Fatalf("it returned: %+v, want !exit.Returned", exit)
	}
	wantCode(t, exit.Err, code, in...)
	return exit, h
}

// Every call that takes a pointer: pointers and lengths outside the memory of
// one page end the run, and so do lengths above the call's bound.
func TestBadPointers(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, c := range abi.Calls {
			if c.Phase&abi.PhaseCollect == 0 || len(c.Params) < 2 {
				continue
			}
			lead := make([]byte, 0)
			if len(c.Params) == 3 { // level, operation or handle
				lead = i32(1)
			}
			after := drop
			if len(c.Results) == 0 {
				after = nil
			}
			for _, p := range []struct {
				ptr, n int64
				ok     bool
			}{
				{0, 0, true}, {65536, 0, true}, {65535, 1, true}, {0, 65536, true},
				{65536, 1, false}, {0, 65537, false}, {-1, 1, false}, {-1, -1, false}, {1, -1, false},
				{0x7fffffff, 2, false}, {-65536, 65536, false},
			} {
				if c.MaxBytes > 0 && p.n > int64(c.MaxBytes) && c.Name != "log" {
					continue
				}
				m := connector(seq(lead, i32(p.ptr), i32(p.n), call(c.Name), after))
				h := &scripted{}
				exit := collect(t, o, m.file(), Grant{}, h)
				want := abi.CodeCallOutOfBounds
				if uint32(p.n) > c.MaxBytes && c.MaxBytes > 0 && c.Name != "log" {
					want = abi.CodeCallTooLarge
				}
				switch {
				case p.ok && exit.Err != nil:
					t.Errorf("%s(%d, %d): got %v, want no error", c.Name, p.ptr, p.n, exit.Err)
				case !p.ok && (exit.Err == nil || abi.CodeOf(exit.Err) != want):
					t.Errorf("%s(%d, %d): %v, want %s", c.Name, p.ptr, p.n, exit.Err, want)
				}
			}
		}
	})
}

func TestOverlongPayloads(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, name := range []string{"emit", "state", "gap", "coverage", "skip", "progress", "done"} {
			row, _ := abi.LookupCall(name)
			m := connector(seq(zero, i32(int64(row.MaxBytes)+1), call(name), drop))
			m.memMin = 256
			_, h := ends(t, o, m, abi.CodeCallTooLarge, name)
			if h.emits > 0 || len(h.calls) > 0 {
				t.Errorf("%s reached the host, want h.emits <= 0 && len(h.calls) <= 0", name)
			}
			m = connector(seq(zero, i32(int64(row.MaxBytes)), call(name), drop))
			m.memMin = 256
			ends(t, o, m, "")
		}
	})
}

func TestOutOfPhase(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		ends(t, o, connector(seq(zero, i32(2), call("manifest"), drop)), abi.CodeCallOutOfPhase, "manifest")
		for _, name := range []string{"emit", "state", "done"} {
			m := connector(nil)
			m.funcs[2].body = seq(zero, i32(1), call(name))
			g := mustLoad(t, o, m.file())
			_, err := g.Describe(t.Context())
			wantCode(t, err, abi.CodePluginDescribeFailed, string(abi.CodeCallOutOfPhase))
			m = connector(nil) // while it initializes
			m.funcs[0].body = seq(zero, i32(1), call(name), drop)
			_, err = load(t, o, m.file())
			wantCode(t, err, abi.CodePluginDescribeFailed, string(abi.CodeCallOutOfPhase), name)
		}
	})
}

func TestAfterDone(t *testing.T) {
	t.Parallel()
	done := seq(zero, i32(2), call("done"), drop)
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, name := range []string{"emit", "state", "gap", "coverage", "skip", "progress", "done"} {
			_, h := ends(t, o, connector(seq(done, zero, i32(1), call(name), drop)), abi.CodeAfterDone, name)
			if len(h.calls) != 1 {
				t.Errorf("%s reached the host after done: %v, want 1", name, h.calls)
			}
		}
		ends(t, o, connector(seq(done, i32(6), zero, zero, call("submit"), drop)), abi.CodeAfterDone, "submit")
		ends(t, o, connector(seq(done, zero, zero, i32(4), call("log"))), "")
	})
}

// Handles that were never given out, and buffers of no bytes, are refused and
// survived.
func TestHandles(t *testing.T) {
	t.Parallel()
	refused := func(p ...[]byte) []byte { // traps unless the call refuses
		return seq(seq(p...), i32(-1), []byte{0x47, 0x04, 0x40, 0x00, 0x0b}) // i32.ne if unreachable end
	}
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, h := range []int64{0, -1, 1, 0x7fffffff, -0x80000000} {
			ends(t, o, connector(refused(i32(h), zero, i32(8), call("read"))), "")
		}
		start := seq(i32(1), zero, zero, call("submit"), drop, i32(-1), call("wait"), drop)
		ends(t, o, connector(seq(start, refused(i32(1), zero, zero, call("read")))), "")
		// A handle that was drained reads as empty, again and again.
		empty := seq(i32(1), zero, i32(8), call("read"), []byte{0x04, 0x40, 0x00, 0x0b})
		ends(t, o, connector(seq(start, empty, empty)), "")
	})
}

func TestTrapsAndExits(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		ends(t, o, connector(trap), abi.CodeGuestTrap, "unreachable")
		for _, code := range []int64{0, 3, -1} {
			exit, _ := ends(t, o, connector(seq(i32(code), call("proc_exit"))), abi.CodeGuestExit, fmt.Sprint(code))
			if exit.Code != int32(code) {
				t.Errorf("got %+v, want exit.Code == int32(code)", exit.Code)
			}
		}
		// A read outside the memory, a division by zero.
		ends(t, o, connector(seq(i32(-4), []byte{0x28, 2, 0}, drop)), abi.CodeGuestTrap, "out of bounds")
		ends(t, o, connector(seq(zero, zero, []byte{0x6d}, drop)), abi.CodeGuestTrap, "divide by zero")
	})
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "panic"}
		exit := collect(t, o, f, Grant{}, h)
		if abi.CodeOf(exit.Err) != abi.CodeGuestTrap && abi.CodeOf(exit.Err) != abi.CodeGuestExit {
			t.Fatalf("got %+v, want abi.CodeOf(exit.Err) == abi.CodeGuestTrap || abi.CodeOf(exit.Err) == abi.CodeGuestExit", exit)
		}
		if !strings.Contains(exit.Written, "panic: boom[31m\n") {
			t.Errorf(`got %q, want strings.Contains(exit.Written, "panic: boom[31m\n")`, exit.Written)
		}
		exit = collect(t, o, f, Grant{}, &scripted{start: "outpanic"})
		if want := "before\npanic: boom"; abi.CodeOf(exit.Err) != abi.CodeGuestExit || exit.Written != want {
			t.Errorf("a panic on standard output: got %q and %v, want %q", exit.Written, exit.Err, want)
		}
	})
}

func TestABIVersion(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, v := range []int64{0, 2, -1} {
			m := connector(nil)
			m.funcs[1].body = i32(v)
			_, err := load(t, o, m.file())
			wantCode(t, err, abi.CodePluginABIVersion, fmt.Sprint(v))
		}
	})
}

func TestDescribeFailures(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.Describe = time.Second
		for name, c := range map[string]struct {
			init, describe []byte
			start          bool
			want           string
		}{
			"silent":     {describe: zero, want: "without"},
			"failing":    {describe: i32(1), want: "error"},
			"trap":       {describe: trap, want: "unreachable"},
			"endless":    {describe: seq(loop(nil), zero), want: string(abi.CodeLimitTime)},
			"exit":       {describe: seq(i32(9), call("proc_exit"), zero), want: "9"},
			"init trap":  {init: trap, want: "unreachable"},
			"init loop":  {init: loop(nil), want: string(abi.CodeLimitTime)},
			"start loop": {init: loop(nil), start: true, want: string(abi.CodeLimitTime)},
			"start trap": {init: trap, start: true, want: "unreachable"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := connector(nil)
				m.funcs[0].body = c.init
				if c.describe != nil {
					m.funcs[2].body = c.describe
				}
				if c.start {
					m.start = 1
				}
				began := time.Now()
				g, err := load(t, o, m.file())
				if err == nil {
					_, err = g.Describe(t.Context())
				}
				wantCode(t, err, abi.CodePluginDescribeFailed, c.want)
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("time.Since(began): got %+v, want took <= 20 * time.Second", took)
				}
			})
		}
	})
}

// The manifest is handed over once; a second one is refused and survived.
func TestSecondManifest(t *testing.T) {
	t.Parallel()
	m := connector(nil)
	first := seq(i32(0), i32(int64(len(manifest))), call("manifest"), drop)
	m.funcs[2].body = seq(first, i32(0), i32(2), call("manifest"), i32(1), []byte{0x6a}) // -1 + 1
	eachIsolation(t, func(t *testing.T, o Options) {
		g := mustLoad(t, o, m.file())
		got, err := g.Describe(t.Context())
		if err != nil || string(got) != manifest {
			t.Fatalf("got %+v, %+v, want no error && string(got) == manifest", string(got), err)
		}
	})
}

// Invariant 6, RT-09.2: a guest that does not return is dead within 3 s of its
// deadline, whether it loops, sleeps in the host, or floods it.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"loop":      loop(nil),
		"wait":      loop(seq(i32(6), zero, zero, call("submit"), drop, i32(-1), call("wait"), drop)),
		"call loop": loop(seq(i32(5), zero, zero, call("read"), drop)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachIsolation(t, func(t *testing.T, o Options) {
				o.Limits.Run, o.Limits.Grace = 300*time.Millisecond, 200*time.Millisecond
				g := mustLoad(t, o, connector(body).file())
				h := &scripted{onSub: func(abi.Operation, []byte, func([]byte)) error { return nil }}
				began := time.Now()
				exit := g.Collect(context.Background(), Grant{}, h)
				took := time.Since(began)
				wantCode(t, exit.Err, abi.CodeLimitTime)
				if exit.Returned || exit.Stopped == nil || took < 500*time.Millisecond || took > 500*time.Millisecond+MaxGrace {
					t.Errorf("%+v after %s, want !exit.Returned && exit.Stopped != nil && took >= 500 * time.Millisecond && took <= 500*time.Millisecond + MaxGrace", exit, took)
				}
			})
		})
	}
}

// The same for a Go guest, whose loop keeps the worker's own scheduler from
// ever stopping the world.
func TestDeadlineGo(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.Run, o.Limits.Grace = 300*time.Millisecond, 100*time.Millisecond
		exit := collect(t, o, f, Grant{}, &scripted{start: "spin"})
		wantCode(t, exit.Err, abi.CodeLimitTime)
	})
}

// Recursion without a loop is out of reach for anything inside the process;
// only killing the worker ends it.
func TestExponentialRecursion(t *testing.T) {
	t.Parallel()
	m := connector(seq(i32(60), own(4), drop))
	// f(n) = n == 0 ? 0 : f(n-1) + f(n-1)
	m.funcs = append(m.funcs, function{params: "i", results: "i", body: seq(
		getLocal(0), []byte{0x04, 0x7f}, // if (result i32)
		getLocal(0), i32(1), []byte{0x6b}, own(4),
		getLocal(0), i32(1), []byte{0x6b}, own(4), add,
		[]byte{0x05}, zero, []byte{0x0b})})
	limits := testLimits()
	limits.Run, limits.Grace = 300*time.Millisecond, 100*time.Millisecond
	began := time.Now()
	ends(t, Options{Limits: limits}, m, abi.CodeLimitTime)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("time.Since(began): got %+v, want took <= 15 * time.Second", took)
	}
}

// Recursion without an end runs out of stack, or of the worker's memory.
func TestDeepRecursion(t *testing.T) {
	t.Parallel()
	m := connector(own(4))
	m.funcs = append(m.funcs, function{body: own(4)})
	exit := collect(t, Options{Limits: testLimits()}, m.file(), Grant{}, &scripted{})
	if c := abi.CodeOf(exit.Err); c != abi.CodeGuestTrap && c != abi.CodeLimitMemory {
		t.Fatalf("abi.CodeOf(exit.Err): got %+v, want c == abi.CodeGuestTrap || c == abi.CodeLimitMemory", exit)
	}
}

// Invariant 6: memory ends at the limit. A guest that lives with the refusal
// goes on; one that crashes on it is named for it.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.MemoryBytes = 4 << 20
		grow := func(pages int64) []byte { return seq(i32(pages), memGrow) }
		trapUnless := func(want int64) []byte {
			return seq(i32(want), []byte{0x47, 0x04, 0x40, 0x00, 0x0b})
		}
		ends(t, o, connector(seq(grow(63), trapUnless(1))), "")
		ends(t, o, connector(seq(grow(64), trapUnless(-1))), "")
		ends(t, o, connector(seq(grow(64), drop, trap)), abi.CodeLimitMemory, "4 MiB")
		ends(t, o, connector(seq(grow(65535), drop, trap)), abi.CodeLimitMemory)
	})
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.MemoryBytes = 48 << 20
		exit := collect(t, o, f, Grant{}, &scripted{start: "hungry"})
		wantCode(t, exit.Err, abi.CodeLimitMemory, "48 MiB")
		if exit.Written == "" {
			t.Error("the guest's last words are lost")
		}
	})
}

// A table is not linear memory; growing it ends at the worker's own bound.
func TestTableBomb(t *testing.T) {
	t.Parallel()
	m := connector(loop(seq([]byte{0xd0, 0x70}, i32(1<<22), []byte{0xfc, 0x0f, 0}, drop))) // ref.null func, table.grow
	m.table = true
	if runtime.GOOS != "linux" || raceDetector {
		t.Skip("only Linux bounds the worker as a whole, and not under the race detector")
	}
	limits := testLimits()
	ends(t, Options{CacheDir: sharedCache(), Limits: limits}, m, abi.CodeLimitMemory)
}

func TestLogLimit(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.LogBytes = 100 << 10
		for _, n := range []int64{0, 1000} { // empty lines run out too
			_, h := ends(t, o, connector(loop(seq(zero, zero, i32(n), call("log")))), abi.CodeLimitLog, "100 KiB")
			if len(h.logs) > 100<<10/callOverhead {
				t.Errorf("got %+v, want len(h.logs) <= 100 << 10 / callOverhead", len(h.logs))
			}
		}
	})
	f := goGuest(t, "plain")
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.LogBytes = 100 << 10
		exit := collect(t, o, f, Grant{}, &scripted{start: "printflood"})
		wantCode(t, exit.Err, abi.CodeLimitLog)
		if len(exit.Written) < tailBytes/2 || len(exit.Written) > tailBytes {
			t.Errorf("got %+v, want len(exit.Written) >= tailBytes / 2 && len(exit.Written) <= tailBytes", len(exit.Written))
		}
	})
}

func TestOutputLimit(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.OutputBytes = 1 << 20
		for _, c := range []string{"emit", "progress", "state"} {
			_, h := ends(t, o, connector(loop(seq(zero, i32(5000), call(c), drop))), abi.CodeLimitOutput, "1 MiB")
			if h.bytes > 1<<20 || len(h.calls) > 1<<20/5000 {
				t.Errorf("%s: %d bytes, %d calls reached the host, want h.bytes <= 1 << 20 && len(h.calls) <= 1 << 20 / 5000", c, h.bytes, len(h.calls))
			}
		}
		// Calls without a byte run out too.
		ends(t, o, connector(loop(seq(zero, zero, call("emit"), drop))), abi.CodeLimitOutput)
	})
}

// The cause of the context is what the exit wraps, by its own code.
func TestCancelIsTheCause(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, o Options) {
		o.Limits.Grace = 100 * time.Millisecond
		for _, cause := range []error{abi.NewError(abi.CodeFenced, "fenced", ""), errors.New("the owner said so")} {
			g := mustLoad(t, o, connector(seq(zero, i32(1), call("emit"), drop, loop(nil))).file())
			ctx, cancel := context.WithCancelCause(t.Context())
			exit := g.Collect(ctx, Grant{}, &scripted{onEmit: func([]byte) error { cancel(cause); return nil }})
			if exit.Returned || !errors.Is(exit.Err, cause) || !errors.Is(exit.Stopped, cause) {
				t.Errorf("got %+v, want !exit.Returned && errors.Is(exit.Err, cause) && errors.Is(exit.Stopped, cause)", exit)
			}
		}
	})
}
