package plugin

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
)

func wantCode(t *testing.T, err error, code abi.Code, in ...string) {
	t.Helper()
	if err == nil || abi.CodeOf(err) != code {
		t.Fatalf("error is %v, want code %s", err, code)
	}
	for _, s := range in {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not name %q, want strings.Contains(err.Error(), s)", err, s)
		}
	}
}

// Invariant 6: what is not on the list is refused at load, each import by name.
func TestAdmitImports(t *testing.T) {
	t.Parallel()
	with := func(im ...imported) *module {
		m := connector(nil)
		m.imports = append(m.imports, im...)
		return m
	}
	for name, c := range map[string]struct {
		m    *module
		want []string // what the refusal names; none: admitted
	}{
		"none":      {m: with()},
		"clock":     {m: with(imported{module: abi.WASIModule, name: "clock_time_get", params: "ili", results: "i"})},
		"unknown":   {m: with(imported{module: "env", name: "abort"}, imported{module: "pdpp", name: "exec"}), want: []string{"env.abort", "AssemblyScript", "pdpp.exec (no such call)"}},
		"sockets":   {m: with(imported{module: abi.WASIModule, name: "sock_accept", params: "iii", results: "i"}), want: []string{"sock_accept", "text/template"}},
		"unlink":    {m: with(imported{module: abi.WASIModule, name: "path_unlink_file", params: "iii", results: "i"}), want: []string{"path_unlink_file", "os.Remove"}},
		"signature": {m: with(imported{module: "pdpp", name: "emit", params: "l", results: "i"}), want: []string{"pdpp.emit", "(i64) -> i32", "(i32, i32) -> i32"}},
		"memory":    {m: with(imported{module: "env", name: "memory", kind: 2}), want: []string{"env.memory", "memory"}},
		"global":    {m: with(imported{module: "pdpp", name: "emit", kind: 3}), want: []string{"pdpp.emit", "global"}},
		"wasi 2":    {m: with(imported{module: "wasi_unstable", name: "fd_write"}), want: []string{"wasi_unstable.fd_write"}},
		"user":      {m: with(imported{module: abi.ExtismUserModule, name: "pdpp_emit", params: "l", results: "l"}), want: []string{"pdpp_emit"}},
		"extism": {
			m:    with(imported{module: abi.ExtismEnvModule, name: "alloc", params: "l", results: "l"}),
			want: []string{"pdpp.emit", abi.ExtismUserModule},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := admit(c.m.file(), 256<<20)
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantCode(t, err, abi.CodePluginImportRefused, c.want...)
		})
	}
}

func TestAdmitExports(t *testing.T) {
	t.Parallel()
	without := func(name string) *module {
		m := connector(nil)
		for i, e := range m.exports {
			if e.name == name {
				m.exports = append(m.exports[:i:i], m.exports[i+1:]...)
				return m
			}
		}
		panic(name)
	}
	for _, name := range []string{abi.ExportMemory, abi.ExportInitialize, abi.ExportVersion, abi.ExportDescribe, abi.ExportCollect} {
		_, err := admit(without(name).file(), 256<<20)
		wantCode(t, err, abi.CodePluginExportMissing, name)
	}
	typed := connector(nil)
	typed.funcs[3] = function{params: "i", results: "i", body: zero}
	_, err := admit(typed.file(), 256<<20)
	wantCode(t, err, abi.CodePluginExportMissing, abi.ExportCollect, "(i32) -> i32")
	bare := connector(nil)
	bare.noMem, bare.data, bare.exports = true, nil, bare.exports[1:]
	_, err = admit(bare.file(), 256<<20)
	wantCode(t, err, abi.CodePluginExportMissing, abi.ExportMemory)
}

// Invariant 6, before anything is instantiated: a limit below a module's
// initial memory makes the engine panic.
func TestAdmitMemory(t *testing.T) {
	t.Parallel()
	m := connector(nil)
	m.memMin = 4097
	_, err := admit(m.file(), 256<<20)
	wantCode(t, err, abi.CodePluginMemoryMinimum, "256 MiB")
	m.memMin = 4096
	info, err := admit(m.file(), 256<<20)
	if err != nil || info.MemoryMinBytes != 256<<20 {
		t.Fatalf("got %+v, %+v, want no error && info.MemoryMinBytes == 256 << 20", info, err)
	}
}

func TestAdmitBytes(t *testing.T) {
	t.Parallel()
	whole := connector(nil).encode()
	for name, b := range map[string][]byte{
		"text":      []byte("#!/bin/sh\n"),
		"short":     []byte("\x00asm"),
		"component": append([]byte("\x00asm\x0d\x00\x01\x00"), whole[8:]...),
		"truncated": whole[:len(whole)/2],
		"repeated":  append(slices.Clip(whole), binary.Section(10, binary.Vector())...),
		"section":   append(slices.Clip(whole), binary.Section(77, binary.Vector())...),
	} {
		_, err := admit(FromBytes(name, b), 256<<20)
		wantCode(t, err, abi.CodePluginInvalid)
	}
}

// RT-06: the refusal names the import and the binding.
func TestCheckImports(t *testing.T) {
	t.Parallel()
	m := connector(nil)
	m.imports = append(m.imports, imported{module: abi.WASIModule, name: "path_open", params: "iiiiillii", results: "i"})
	info, err := admit(m.file(), 256<<20)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, CheckImports(info, &abi.Manifest{}), abi.CodePluginImportRefused, "path_open", abi.BindingFilesystem)
	declared := &abi.Manifest{Requirements: abi.RuntimeRequirements{Bindings: map[string]abi.Binding{abi.BindingFilesystem: {Required: true}}}}
	if err := CheckImports(info, declared); err != nil {
		t.Fatal(err)
	}
}
