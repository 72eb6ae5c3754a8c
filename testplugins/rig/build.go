package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// tree is where the project lies, seen from a test two folders below it.
const tree = "../.."

// scratch is the folder of the test binary: built guests and compiled modules.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "pdpp-rig-") })

var built = struct {
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
		if dir, err := scratch(); err == nil {
			_ = os.RemoveAll(dir)
		}
		os.Exit(code)
	}))
}

// Guest builds the Go package at folder, such as "testplugins/guests/scripted",
// for WebAssembly, the way make does. It is built once per test binary.
func Guest(t testing.TB, folder string) *plugin.File {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if f := built.files[folder]; f != nil {
		return f
	}
	f, err := build(folder)
	if err != nil {
		t.Fatalf("building %s: %v", folder, err)
	}
	built.files[folder] = f
	return f
}

func build(folder string) (*plugin.File, error) {
	dir, err := scratch()
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, filepath.Base(folder)+plugin.Extension)
	if err := Compile(out, folder, ""); err != nil {
		return nil, err
	}
	return plugin.Open(out, 64<<20)
}

// Compile builds the Go package at folder of this tree as the file out, the way
// make does: for WebAssembly when out ends like a module. overlay is a file of
// go build's -overlay; "" for none. It is called two folders below the tree's top.
func Compile(out, folder, overlay string) error {
	args := []string{"build", "-trimpath", "-o", out}
	env := append(os.Environ(), "CGO_ENABLED=0")
	if filepath.Ext(out) == plugin.Extension {
		args = append(args, "-buildmode=c-shared", "-ldflags=-s -w -buildid=")
		env = append(env, "GOOS=wasip1", "GOARCH=wasm")
	}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./"+folder)...) //nolint:noctx,gosec // a build of this tree has no deadline of its own
	cmd.Dir, cmd.Env = tree, env
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", folder, err, said)
	}
	return nil
}
