package plugin

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// extismConnector is a hand-assembled guest in Extism's shape: it writes its
// payloads into Extism's memory a byte at a time. Function numbers: 0 alloc,
// 1 store_u8, 2 load_u8, 3 length, 4 http_request, 5 var_set, 6 log_info,
// 7 error_set, 8 free, then every pdpp call, more, and its own.
func extismConnector(collect []byte, more ...imported) *module {
	env := func(name, params, results string) imported {
		return imported{module: abi.ExtismEnvModule, name: name, params: params, results: results}
	}
	m := &module{
		imports: []imported{
			env("alloc", "l", "l"), env("store_u8", "li", ""), env("load_u8", "l", "i"), env("length", "l", "l"),
			env("http_request", "ll", "l"), env("var_set", "ll", ""), env("log_info", "l", ""), env("error_set", "l", ""),
			env("free", "l", ""),
		},
		memMin: 1,
		exports: []exported{
			{abi.ExportVersion, 0, 0}, {abi.ExportDescribe, 0, 1}, {abi.ExportCollect, 0, 2},
		},
	}
	for _, c := range abi.Calls {
		m.imports = append(m.imports, imported{module: abi.ExtismUserModule, name: "pdpp_" + c.Name, params: "l", results: "l"})
	}
	m.imports = append(m.imports, more...)
	m.funcs = []function{
		{results: "i", body: i32(abi.Version)},
		{results: "i", body: seq(m.text(manifest), userCall("manifest"), []byte{0xa7})}, // i32.wrap_i64
		{results: "i", body: seq(collect, zero)},
	}
	return m
}

// text adds a function that allocates a block holding s, and returns a call of
// it, which leaves the block's offset.
func (m *module) text(s string) []byte {
	f := function{results: "l"}
	// A local of i64 is spelled as two nested calls instead: alloc once, keep the
	// offset in a parameter of a second function.
	fill := function{params: "l", results: "l"}
	for i := range len(s) {
		fill.body = seq(fill.body, getLocal(0), i64(int64(i)), []byte{0x7c}, i32(int64(s[i])), callTo(1))
	}
	fill.body = seq(fill.body, getLocal(0))
	n := len(m.extra)
	m.extra = append(m.extra, fill, f)
	m.extra[n+1].body = seq(i64(int64(len(s))), callTo(0), m.extraCall(n))
	return m.extraCall(n + 1)
}

func userCall(name string) []byte {
	for i, c := range abi.Calls {
		if c.Name == name {
			return callTo(9 + i)
		}
	}
	panic(name)
}

func TestExtism(t *testing.T) {
	t.Parallel()
	m := extismConnector(nil)
	m.funcs[2].body = seq(
		m.text("\x01"), userCall("submit"), userCall("read"), drop, // not answered for: refused, or empty
		i64(-1), userCall("wait"), drop,
		m.text("two lines of records"), userCall("emit"), drop,
		m.text(`{"type":"STATE"}`), userCall("state"), drop,
		m.text("\x04a log line"), userCall("log"), drop,
		m.text("through Extism's own log"), callTo(6),
		m.text(`{"type":"DONE"}`), userCall("done"), drop,
		zero)
	f := m.file()
	eachIsolation(t, func(t *testing.T, o Options) {
		g := mustLoad(t, o, f)
		if i := g.Info(); i.Kind != KindExtism {
			t.Fatalf("g.Info(): got %+v, want i.Kind == KindExtism", i)
		}
		got, err := g.Describe(t.Context())
		if err != nil || string(got) != manifest {
			t.Fatalf("got %+v, %+v, want no error && string(got) == manifest", string(got), err)
		}
		h := &scripted{start: `{"type":"START"}`}
		exit := g.Collect(t.Context(), Grant{}, h)
		if exit.Err != nil || !exit.Returned || exit.Code != 0 {
			t.Fatalf("got %+v, want exit.Err == nil && exit.Returned && exit.Code == 0", exit)
		}
		if want := []string{"emit two lines of records", `state {"type":"STATE"}`, `done {"type":"DONE"}`}; !slices.Equal(h.calls, want) {
			t.Errorf("got %q, want slices.Equal(h.calls, want)", h.calls)
		}
		if want := []string{"a log line", "through Extism's own log"}; !slices.Equal(h.logs, want) {
			t.Errorf(`[]string{"a log line", "through Extism's own log"}: got %q, want slices.Equal(h.logs, want)`, h.logs)
		}
	})
}

// An answer comes back through a block that the host allocates.
func TestExtismAnswer(t *testing.T) {
	t.Parallel()
	m := extismConnector(nil)
	m.funcs[2].body = seq(
		m.text("\x01"), userCall("submit"), drop, i64(-1), userCall("wait"), drop,
		i64(1), userCall("read"), userCall("emit"), drop, // the block goes straight back out
		i64(1), userCall("read"), []byte{0x50, 0x45, 0x04, 0x40, 0x00, 0x0b}, // drained: 0, or trap
		i64(99), userCall("read"), drop, i64(0), userCall("last_error"), userCall("emit"), drop,
		zero)
	eachIsolation(t, func(t *testing.T, o Options) {
		h := &scripted{start: "the answer"}
		if exit := collect(t, o, m.file(), Grant{}, h); exit.Err != nil {
			t.Fatalf("collect(t, o, m.file(), Grant{}, h): got %+v, want exit.Err == nil", exit)
		}
		if len(h.calls) != 2 || h.calls[0] != "emit the answer" || !strings.Contains(h.calls[1], "boundary.handle_unknown") {
			t.Errorf(`got %q, want len(h.calls) == 2 && h.calls[0] == "emit the answer" && strings.Contains(h.calls[1], "boundary.handle_unknown")`, h.calls)
		}
	})
}

// Invariant 6: Extism's own way out leads nowhere, and is named as the reason.
func TestExtismIsInert(t *testing.T) {
	t.Parallel()
	http := extismConnector(nil)
	http.funcs[2].body = seq(http.text(`{"url":"http://127.0.0.1:1/?token=swordfish"}`), i64(0), callTo(4), drop, zero)
	vars := extismConnector(nil)
	vars.funcs[2].body = seq(vars.text("k"), vars.text(strings.Repeat("v", 100)), callTo(5), zero)
	flood := extismConnector(nil)
	flood.funcs[2].body = seq(loop(seq(i64(1<<20), callTo(0), []byte{0x50, 0x04, 0x40, 0x00, 0x0b})), zero) // traps on 0
	bad := extismConnector(nil)
	bad.funcs[2].body = seq(i64(12345), userCall("emit"), drop, zero)
	failed := extismConnector(nil)
	failed.funcs[2].body = seq(failed.text("it says swordfish"), callTo(7), zero)
	eachIsolation(t, func(t *testing.T, o Options) {
		exit := collect(t, o, http.file(), Grant{}, &scripted{})
		wantCode(t, exit.Err, abi.CodeGuestTrap, "http_request")
		// Invariant 5: what a guest writes into an error is not repeated.
		if strings.Contains(exit.Err.Error(), "swordfish") {
			t.Errorf(`got %+v, want !strings.Contains(exit.Err.Error(), "swordfish")`, exit.Err)
		}
		if exit = collect(t, o, vars.file(), Grant{}, &scripted{}); exit.Err != nil {
			t.Errorf("collect(t, o, vars.file(), Grant{}, &scripted{}): got %+v, want exit.Err == nil", exit.Err)
		}
		exit = collect(t, o, bad.file(), Grant{}, &scripted{})
		wantCode(t, exit.Err, abi.CodeCallOutOfBounds, "emit")
		exit = collect(t, o, failed.file(), Grant{}, &scripted{})
		if !exit.Returned || exit.Code != 1 || exit.Err != nil || exit.Written != "it says swordfish\n" {
			t.Errorf(`got %+v, want exit.Returned && exit.Code == 1 && exit.Err == nil && exit.Written == "it says swordfish\n"`, exit)
		}
		o.Limits.MemoryBytes = 16 << 20
		exit = collect(t, o, flood.file(), Grant{}, &scripted{})
		wantCode(t, exit.Err, abi.CodeLimitMemory, "16 MiB")
	})
}
