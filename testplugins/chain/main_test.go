package chain

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// connectors are the ones that need a provider.
var connectors = []string{"github", "notion", "spotify", "ynab"}

// built is shared by all tests: the program, the plugins folder, and the cache of
// compiled modules.
type built struct{ dir, host, plugins, cache string }

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if scratch != "" {
			_ = os.RemoveAll(scratch)
		}
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
	b := &built{dir, filepath.Join(dir, "pdpp-host"), filepath.Join(dir, "plugins"), filepath.Join(dir, "cache")}
	for _, folder := range []string{b.plugins, b.cache} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
	}
	if err := rig.Compile(b.host, "cmd/pdpp-host", ""); err != nil {
		return nil, err
	}
	for _, name := range connectors {
		overlay, err := quickened(dir, "plugins/"+name)
		if err != nil {
			return nil, err
		}
		if err := rig.Compile(filepath.Join(b.plugins, name+".wasm"), "plugins/"+name, overlay); err != nil {
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

// The pace of the quickened connectors.
const (
	startMS = 40
	floorMS = 2
)

// quickened writes the manifest of a connector with another pace, and the
// overlay that puts it in the place of the connector's own.
func quickened(dir, folder string) (overlay string, err error) {
	original, err := filepath.Abs(filepath.Join("../..", folder, "manifest.json"))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return "", err
	}
	network, _ := m["runtime_requirements"].(map[string]any)["network"].(map[string]any)
	provider, _ := network["provider"].(map[string]any)
	endpoints, _ := provider["endpoints"].([]any) // their limits stay theirs
	for _, e := range endpoints {
		delete(e.(map[string]any), "windows")
		e.(map[string]any)["min_interval_ms"] = floorMS
	}
	quick := map[string]any{
		"discovery_interval_ms": startMS, "min_interval_ms": floorMS, "backoff_base_ms": floorMS, "backoff_cap_ms": startMS,
		"max_attempts": 4, "max_inline_wait_ms": 5000, "timeout_ms": 20000, "breaker": map[string]any{"reset_ms": 5 * startMS},
	}
	if endpoints != nil {
		quick["endpoints"] = endpoints
	}
	network["provider"] = quick
	name := filepath.Join(dir, filepath.Base(folder))
	if err := writeJSON(name+".json", m); err != nil {
		return "", err
	}
	return name + ".overlay.json", writeJSON(name+".overlay.json", map[string]any{"Replace": map[string]string{original: name + ".json"}})
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
