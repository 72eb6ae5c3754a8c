package hostile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// Modules that are refused before any of their code runs. Invariant 6: an import
// outside the list is not linked, so there is no socket to open.
func TestModulesThatAreRefused(t *testing.T) {
	t.Parallel()
	imports := func(module, name, params, results string) func() *plugin.File {
		return spoiled(func(m *assembly.Module) {
			m.Imports = append(m.Imports, assembly.Import{Module: module, Name: name, Params: params, Results: results})
		})
	}
	unlinked := func(says ...string) want { return want{refused: abi.CodePluginImportRefused, says: says} }
	invalid := want{refused: abi.CodePluginInvalid}
	carryOut(t, []attack{
		{name: "not a module", module: raw([]byte("#!/bin/sh\n")...), want: invalid},
		{name: "only the magic number", module: raw(0, 'a', 's', 'm'), want: invalid},
		{name: "a component", module: raw(0, 'a', 's', 'm', 13, 0, 1, 0), want: invalid},
		{name: "half a module", module: func() *plugin.File {
			b := assembly.Connector(manifest, nil).Encode()
			return plugin.FromBytes("handmade", b[:len(b)/2])
		}, want: invalid},
		{name: "section longer than the file", module: raw(0, 'a', 's', 'm', 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f), want: invalid},
		{name: "four billion types", module: raw(0, 'a', 's', 'm', 1, 0, 0, 0, 1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f), want: invalid},
		{name: "code that is no code", module: handmade([]byte{0xff, 0xff}), want: invalid},
		{name: "code of the wrong type", module: handmade(assembly.Add), want: invalid},
		{name: "four billion locals", module: spoiled(func(m *assembly.Module) { m.Funcs[assembly.Collect].Locals = 0xfffffff0 }), want: invalid},
		{name: "nothing exported", module: spoiled(func(m *assembly.Module) { m.Exports = nil }), want: want{refused: abi.CodePluginExportMissing, says: []string{abi.ExportCollect}}},
		{name: "ABI version of the future", module: spoiled(func(m *assembly.Module) { m.Funcs[assembly.Version].Body = assembly.I32(2) }), want: want{refused: abi.CodePluginABIVersion}},
		{name: "unknown import", module: imports("env", "system", "i", "i"), want: unlinked("env.system")},
		{name: "unknown host call", module: imports("pdpp", "open_socket", "i", "i"), want: unlinked("pdpp.open_socket")},
		{name: "host call of another type", module: imports("pdpp", "emit", "iii", "i"), want: unlinked("pdpp.emit")},
		{name: "socket", module: imports(abi.WASIModule, "sock_accept", "iii", "i"), want: unlinked("sock_accept")},
		{name: "making a folder", module: imports(abi.WASIModule, "path_create_directory", "iii", "i"), want: unlinked("path_create_directory")},
		{name: "deleting a file", module: imports(abi.WASIModule, "path_unlink_file", "iii", "i"), want: unlinked("path_unlink_file")},
		{name: "memory of somebody else", module: spoiled(func(m *assembly.Module) {
			m.Imports = append(m.Imports, assembly.Import{Module: "env", Name: "memory", Memory: true})
		}), want: unlinked("env.memory")},
		{name: "path_open without the binding", module: imports(abi.WASIModule, "path_open", "iiiiilli"+"i", "i"), want: unlinked("path_open", "filesystem")},
		{name: "import name that paints a terminal", module: imports("env", "\x1b[2J\x1b]0;owned\a", "", ""), want: unlinked()},
		{name: "import name of a megabyte", module: imports("env", strings.Repeat("x", 1<<20), "", ""), want: unlinked()},
	})
}

// Files that are no module to open at all.
func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	honest := write("honest.wasm", assembly.Connector(manifest, nil).Encode())
	link := filepath.Join(dir, "link.wasm")
	if err := os.Symlink(honest, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	huge := write("huge.wasm", nil)
	if err := os.Truncate(huge, 1<<30); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]abi.Code{
		write("empty.wasm", nil): abi.CodePluginEmpty, huge: abi.CodePluginTooLarge, link: abi.CodePluginNotRegular,
		dir: abi.CodePluginNotRegular, filepath.Join(dir, "none.wasm"): abi.CodePluginUnknown,
	} {
		if _, err := plugin.Open(path, 64<<20); abi.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", filepath.Base(path), err, code)
		}
	}
	if _, err := plugin.Open(honest, 64<<20); err != nil {
		t.Errorf("an honest one: %v", err)
	}
}

// A guest that lies or misbehaves before a run, in describe.
func TestGuestsThatDoNotDescribe(t *testing.T) {
	t.Parallel()
	describes := func(body ...[]byte) func() *plugin.File {
		return spoiled(func(m *assembly.Module) { m.Funcs[assembly.Describe].Body = assembly.Code(body...) })
	}
	failed := func(says ...string) want { return want{refused: abi.CodePluginDescribeFailed, says: says} }
	soon := func(l *plugin.Limits) { l.Describe = time.Second }
	endless := assembly.Code(assembly.Loop(), assembly.Zero)
	carryOut(t, []attack{
		{name: "never returns", module: describes(endless), limits: soon, want: failed(string(abi.CodeLimitTime))},
		{name: "initialization that never returns", limits: soon, want: failed(string(abi.CodeLimitTime)), module: spoiled(func(m *assembly.Module) {
			m.Funcs[assembly.Initialize].Body = assembly.Loop()
		})},
		{name: "start function that never returns", limits: soon, want: failed(string(abi.CodeLimitTime)), module: spoiled(func(m *assembly.Module) {
			m.Funcs = append(m.Funcs, assembly.Func{Body: assembly.Loop()})
			m.Start = assembly.Own + 1
		})},
		{name: "hands over nothing", module: describes(assembly.Zero), want: failed()},
		{name: "traps", module: describes(assembly.Unreachable), want: failed()},
		{name: "exits", module: describes(assembly.Zero, assembly.Call("proc_exit"), assembly.Zero), want: failed()},
		{name: "returns an error", module: describes(assembly.Zero, assembly.I32(2), assembly.Call("manifest"), assembly.Drop, assembly.I32(1)), want: failed()},
		{name: "manifest of 100 MB", want: failed(string(abi.CodeCallTooLarge)), module: spoiled(func(m *assembly.Module) {
			m.Memory = 1600
			m.Funcs[assembly.Describe].Body = assembly.Code(assembly.Zero, assembly.I32(100<<20), assembly.Call("manifest"))
		})},
		{name: "manifest outside its memory", module: describes(assembly.I32(-64), assembly.I32(64), assembly.Call("manifest")), want: failed(string(abi.CodeCallOutOfBounds))},
		{name: "collects while it describes", module: describes(assembly.Zero, assembly.I32(2), assembly.Call("emit")), want: failed(string(abi.CodeCallOutOfPhase))},
		{name: "asks for START while it describes", module: describes(assembly.ReadStart(), assembly.Zero), want: failed(string(abi.CodeCallOutOfPhase))},
	})
}

// A module that takes another connector's name gets nothing from it: the connection
// stays with the module of its first run.
func TestImpostor(t *testing.T) {
	t.Parallel()
	h := rig.NewHost(t, rig.Setup{})
	honest := assembly.Connector(manifest, assembly.Code(assembly.ReadStart(), assembly.Send("done", manifest, 0, assembly.Succeed(0))), assembly.Succeed(0))
	if res, err := h.Play(run.Request{Module: honest.File("handmade")}); err != nil || res.Status != run.StatusSucceeded {
		t.Fatalf("%+v %v, want Status = %v", res, err, run.StatusSucceeded)
	}
	impostor := bytes.Clone(honest.Encode())
	impostor = append(impostor, 0, 2, 1, 'x') // a custom section: the hash differs, and nothing else
	if _, err := h.Play(run.Request{Module: plugin.FromBytes("handmade", impostor)}); abi.CodeOf(err) != abi.CodePluginChanged {
		t.Errorf("another module under the same key: %v, want abi.CodeOf(err) = %v", err, abi.CodePluginChanged)
	}
	other := assembly.Connector(with(`"connector_key":"handmade"`, `"connector_key":"other"`), nil).File("other")
	if _, err := h.Play(run.Request{Module: other, Connection: "handmade"}); abi.CodeOf(err) != abi.CodeConnectionInvalid {
		t.Errorf("another connector on the same connection: %v, want abi.CodeOf(err) = %v", err, abi.CodeConnectionInvalid)
	}
	if runs, err := h.Store.Runs(t.Context(), "handmade", 10); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v, want 1", len(runs), err)
	}
}
