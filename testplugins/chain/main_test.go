package chain

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// connectors are the ones that need a provider.
var connectors = []string{"github", "notion", "reddit", "spotify", "strava", "ynab"}

// renewing are those of them whose access token is renewed.
var renewing = []string{"reddit", "spotify", "strava"}

// each has every connector tested for what the host does for all of them alike.
var each = flag.Bool("each", false, "test what the host does for all connectors alike with each of them")

// alike skips a test of what the host does for all connectors alike, but for one connector whose token
// stays and one whose token is renewed. `make each` leaves nothing out.
func alike(t *testing.T, connector string) {
	t.Helper()
	if !*each && connector != "github" && connector != "spotify" {
		t.Skip("the host does the same for github and spotify; `make each` tests this one, too")
	}
}

// built is shared by all tests: the program, the plugins folder, and the cache of
// compiled modules.
type built struct{ dir, host, plugins, cache string }

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if scratch != "" {
			_ = os.RemoveAll(scratch)
		}
		tree.Remove()
		os.Exit(code)
	}))
}

var scratch string

var build = sync.OnceValues(func() (*built, error) {
	dir, err := os.MkdirTemp("", "pdpp-chain-")
	if err != nil {
		return nil, err
	}
	scratch = dir
	cache, err := tree.Cache()
	if err != nil {
		return nil, err
	}
	b := &built{dir, filepath.Join(dir, "pdpp-host"), filepath.Join(dir, "plugins"), cache}
	if err := os.Mkdir(b.plugins, 0o700); err != nil {
		return nil, err
	}
	if err := rig.Compile(b.host, "cmd/pdpp-host", ""); err != nil {
		return nil, err
	}
	for _, name := range append([]string{"jellyfin"}, connectors...) {
		if err := tree.Quick(b.plugins, name); err != nil {
			return nil, err
		}
	}
	if err := rig.Compile(filepath.Join(b.plugins, "echo.wasm"), "testplugins/guests/echo", ""); err != nil {
		return nil, err
	}
	// Compiled to machine code once, and not by every test at the same time.
	list := exec.Command(b.host, "--data-dir", filepath.Join(dir, "first"), "--plugins", b.plugins, "plugins", "list")
	if err := os.Mkdir(filepath.Join(dir, "first"), 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(b.cache, filepath.Join(dir, "first", "cache")); err != nil {
		return nil, err
	}
	if out, err := list.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("plugins list: %w\n%s", err, out)
	}
	return b, nil
})
