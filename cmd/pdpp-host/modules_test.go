package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// built holds the modules and the compiled code that the stories share, so that
// each module is built and compiled once in a run of the tests.
var built struct {
	once sync.Once
	dir  string
	err  error

	mu   sync.Mutex
	done map[string]error
}

// sources says where a story's module is built from.
var sources = map[string]string{
	"ical":         "../../plugins/ical",
	"claude_code":  "../../plugins/claude_code",
	"scripted":     "../../testplugins/guests/scripted",
	"credentialed": "../../testplugins/guests/credentialed",
	"fickle":       "../../testplugins/guests/fickle",
	"downloader":   "../../testplugins/guests/downloader",
}

// module returns the built module's path.
func module(name string) (string, error) {
	dir, err := builtDir()
	if err != nil {
		return "", err
	}
	built.mu.Lock()
	defer built.mu.Unlock()
	path := filepath.Join(dir, name+".wasm")
	if err, ok := built.done[name]; ok {
		return path, err
	}
	source, ok := sources[name]
	args := []string{"build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", path}
	if policy, varies := variants[name]; varies {
		source, ok = sources["scripted"], true
		overlay, err := variant(dir, name, policy)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	if !ok {
		return "", fmt.Errorf("no module %q", name)
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		built.done[name] = fmt.Errorf("%w: %s", err, out)
	} else {
		built.done[name] = nil
	}
	return path, built.done[name]
}

// builtDir makes the shared folder, with the cache of compiled code in it.
func builtDir() (string, error) {
	built.once.Do(func() {
		built.done = map[string]error{}
		if built.dir, built.err = os.MkdirTemp("", "pdpp-host-modules-"); built.err == nil {
			built.err = os.Mkdir(filepath.Join(built.dir, "cache"), 0o700)
		}
	})
	return built.dir, built.err
}

func removeBuilt() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // a temporary folder
	}
}
