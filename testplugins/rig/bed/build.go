package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// network are the connectors that get the pace of a provider on this machine.
var network = []string{"github", "notion", "reddit", "spotify", "strava", "ynab"}

// once has what is built once: the program under "", and modules by their name.
var once = struct {
	sync.Mutex
	dir   string
	built map[string]func() (string, error)
}{built: map[string]func() (string, error){}}

func built(name string, build func(dir string) (string, error)) (string, error) {
	once.Lock()
	if once.dir == "" {
		var err error
		if once.dir, err = tree.Folder(); err != nil {
			once.Unlock()
			return "", err
		}
	}
	f := once.built[name]
	if f == nil {
		dir := once.dir
		f = sync.OnceValues(func() (string, error) { return build(dir) })
		once.built[name] = f
	}
	once.Unlock()
	return f()
}

// Program returns the path of the built host.
func Program(t testing.TB) string {
	t.Helper()
	path, err := built("", func(dir string) (string, error) {
		out := filepath.Join(dir, "pdpp-host")
		return out, tree.Compile(out, "cmd/pdpp-host", "")
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Module returns the path of a connector or of a guest, such as github or scripted, that has
// been compiled to machine code, too.
func Module(t testing.TB, name string) string {
	t.Helper()
	program := Program(t)
	path, err := built(name, func(dir string) (string, error) {
		folder := filepath.Join(dir, "module-"+name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", err
		}
		out := filepath.Join(folder, name+".wasm")
		var err error
		switch _, missing := os.Stat(filepath.Join("../..", "plugins", name)); {
		case slices.Contains(network, name):
			err = tree.Quick(folder, name)
		case missing == nil:
			err = tree.Compile(out, "plugins/"+name, "")
		default:
			err = tree.Compile(out, "testplugins/guests/"+name, "")
		}
		if err != nil {
			return "", err
		}
		data := filepath.Join(folder, "data")
		if err := prepare(data); err != nil {
			return "", err
		}
		list := exec.Command(program, "--data-dir", data, "--plugins", folder, "plugins", "list") //nolint:noctx,gosec // of this tree
		list.Env = []string{"HOME=" + data}
		if said, err := list.CombinedOutput(); err != nil || !strings.Contains(string(said), name) {
			return "", fmt.Errorf("plugins list: %w\n%s", err, said)
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// prepare makes a data folder with the cache of compiled modules that all share.
func prepare(data string) error {
	cache, err := tree.Cache()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	return os.Symlink(cache, filepath.Join(data, "cache"))
}
