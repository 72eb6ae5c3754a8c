package rig

import (
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

var opened = struct {
	sync.Mutex
	files map[string]*plugin.File
}{files: map[string]*plugin.File{}}

// Main is the TestMain of a package that runs guests: it is the worker when it
// is started as one, and otherwise runs the tests, cleans up and looks for
// goroutines that were left behind.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == plugin.WorkerArgument {
		os.Exit(plugin.WorkerMain(os.Stdin, os.Stdout))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		tree.Remove()
		os.Exit(code)
	}))
}

// Guest builds the Go package at folder, such as "testplugins/guests/scripted",
// for WebAssembly, the way make does. It is built once per test binary.
func Guest(t testing.TB, folder string) *plugin.File {
	t.Helper()
	opened.Lock()
	defer opened.Unlock()
	if f := opened.files[folder]; f != nil {
		return f
	}
	path, err := tree.Module(folder)
	if err != nil {
		t.Fatal(err)
	}
	f, err := plugin.Open(path, 64<<20)
	if err != nil {
		t.Fatalf("opening %s: %v", folder, err)
	}
	opened.files[folder] = f
	return f
}

// Compile is tree.Compile.
func Compile(out, folder, overlay string) error { return tree.Compile(out, folder, overlay) }
