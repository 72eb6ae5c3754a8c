package plugin

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wasmbin"
)

// importers lists the usual origin of a refused import. A row without names applies to
// its whole module; the first matching row counts.
var importers = []struct {
	module string
	names  []string
	from   string
}{
	// Measured with Go 1.26: a program that looks up methods by name at run time links
	// every method of os.File.
	{
		abi.WASIModule, []string{"fd_pwrite", "fd_sync", "fd_datasync", "fd_filestat_set_size", "sock_accept", "sock_shutdown"},
		"Go's text/template or html/template, or another package that calls methods by their names",
	},
	{abi.WASIModule, []string{"sock_recv", "sock_send"}, "a library for sockets, such as Rust's std::net; requests go through the host"},
	{
		abi.WASIModule, []string{
			"path_create_directory", "path_remove_directory", "path_unlink_file", "path_rename", "path_link", "path_symlink",
			"path_filestat_set_times", "fd_filestat_set_times", "fd_allocate",
		},
		"functions that write files, such as os.MkdirTemp, os.Remove and os.Rename of Go's os",
	},
	{abi.WASIModule, []string{"fd_tell", "fd_advise", "fd_renumber", "clock_res_get", "fd_fdstat_set_rights"}, "functions of libc"},
	{"wasi_unstable", nil, "a compiler from before WASI preview 1"},
	{"wasi", nil, "threads"},
	{"gojs", nil, "syscall/js: build with GOOS=wasip1"},
	{"go", nil, "syscall/js: build with GOOS=wasip1"},
	{"__wbindgen_placeholder__", nil, "the Rust crate wasm-bindgen"},
	{"wbg", nil, "the Rust crate wasm-bindgen"},
	{"env", []string{"abort", "trace", "seed"}, "AssemblyScript's runtime: override it with a function that traps"},
	{"env", []string{"memory"}, "the linker's --import-memory"},
}

// importedBy returns the usual origin of an import, "" if unknown.
func importedBy(im wasmbin.Import) string {
	for _, s := range importers {
		if s.module == im.Module && (s.names == nil || slices.Contains(s.names, im.Name)) {
			return s.from
		}
	}
	return ""
}
