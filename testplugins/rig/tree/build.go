package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// modulePath is the beginning of the import paths of this tree.
const modulePath = "github.com/pdpp-host/pdpp-host/"

// extension is the file name extension of a module, and selects its target machine.
const extension = ".wasm"

// modules has the outcome of each build, by name and folder.
var modules = struct {
	sync.Mutex
	built map[[2]string]outcome
}{built: map[[2]string]outcome{}}

type outcome struct {
	path string
	err  error
}

// Module returns the path of the Go package at folder, such as "plugins/calendar_files",
// built for WebAssembly.
func Module(folder string) (string, error) { return Variant(path.Base(folder), folder, nil) }

// Variant is Module under another name, with some of its files replaced: overlay
// returns a file of go build's -overlay and gets a folder to put it in. It is
// called once.
func Variant(name, folder string, overlay func(dir string) (string, error)) (string, error) {
	modules.Lock()
	defer modules.Unlock()
	which := [2]string{name, folder}
	m, ok := modules.built[which]
	if !ok {
		m.path, m.err = build(name, folder, overlay)
		modules.built[which] = m
	}
	return m.path, m.err
}

func build(name, source string, overlay func(dir string) (string, error)) (string, error) {
	all, err := Folder()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(all, "")
	if err != nil {
		return "", err
	}
	replaced := ""
	if overlay != nil {
		if replaced, err = overlay(dir); err != nil {
			return "", err
		}
	}
	out := filepath.Join(dir, name+extension)
	return out, Compile(out, source, replaced)
}

// Compile builds the Go package at folder of this tree as the file out, the way
// make does: for WebAssembly when out ends like a module, and a connector by
// TinyGo when make was called with TINYGO=1. overlay is a file of go build's
// -overlay, with which standard Go builds a connector, too; "" for none. Relative paths are the
// test's. A folder that ends in "@TAG" is built with that build tag.
func Compile(out, folder, overlay string) error {
	if overlay != "" {
		return compile(out, folder, overlay)
	}
	return Share(out, folder, func(to string) error { return compile(to, folder, "") })
}

// Share makes the file out by build, or copies the one of that name which a test binary of this
// test run has made.
func Share(out, name string, build func(to string) error) error {
	if shared := os.Getenv(sharedEnv); shared != "" {
		return share(shared, out, name, build)
	}
	return build(out)
}

// share builds what name names into the folder that the binaries of a test run share, unless one
// of them has by the same compiler, and copies it: a test may change what it has built.
//
//nolint:gosec // the folder is the test run's, and its programs are of this tree
func share(shared, out, name string, build func(to string) error) error {
	built := filepath.Join(shared, strings.ReplaceAll(name, "/", "-")+os.Getenv("TINYGO")+filepath.Ext(out))
	if _, err := os.Stat(built); errors.Is(err, fs.ErrNotExist) {
		// Two binaries may build the same at the same time; either result will do.
		dir, err := os.MkdirTemp(shared, "")
		if err != nil {
			return err
		}
		once := filepath.Join(dir, filepath.Base(built))
		if err := build(once); err != nil {
			return err
		}
		if err := os.Rename(once, built); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o700)
}

func compile(out, folder, overlay string) error {
	folder, tag, _ := strings.Cut(folder, "@")
	program, args := "go", []string{"build", "-trimpath", "-o", out}
	env := append(os.Environ(), "CGO_ENABLED=0")
	switch {
	case filepath.Ext(out) != extension:
	case os.Getenv("TINYGO") == "1" && path.Dir(folder) == "plugins" && overlay == "":
		program, args = "tinygo", append([]string{"build", "-o", out}, strings.Fields(os.Getenv("TINYGO_FLAGS"))...)
	default:
		args = append(args, "-buildmode=c-shared", "-buildvcs=false", "-ldflags=-s -w -buildid=")
		env = append(env, "GOOS=wasip1", "GOARCH=wasm")
	}
	if tag != "" {
		args = append(args, "-tags", tag)
	}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command(program, append(args, modulePath+folder)...) //nolint:noctx,gosec // a build of this tree has no deadline
	cmd.Env = env
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", folder, err, said)
	}
	return nil
}
