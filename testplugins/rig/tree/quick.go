package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The pace of a quick connector, in milliseconds.
const (
	QuickStart = 40
	QuickFloor = 2
)

// Quick builds the connector of the network with that name into a folder, with a pace that
// fits a provider on this machine. Relative paths are those of a package two folders below the
// tree's top.
func Quick(out, name string) error {
	folder, at := "plugins/"+name, filepath.Join(out, name+extension)
	if err := Compile(at, folder, ""); err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join("../..", folder, "manifest.json"))
	if err != nil {
		return err
	}
	quick, err := quickened(manifest)
	if err != nil {
		return err
	}
	module, err := os.ReadFile(at) //nolint:gosec // the module that was built
	if err != nil {
		return err
	}
	if module, err = exchange(module, manifest, quick); err != nil {
		return fmt.Errorf("the manifest of %s: %w", name, err)
	}
	return os.WriteFile(at, module, 0o600) //nolint:gosec // as above
}

// exchange puts a JSON text in the place of another that a module holds, whichever compiler made
// it. The module keeps its length: spaces fill what is left.
func exchange(module, old, text []byte) ([]byte, error) {
	if n := bytes.Count(module, old); n != 1 {
		return nil, fmt.Errorf("the module holds it %d times, want once", n)
	}
	left := len(old) - len(text)
	if left < 0 {
		return nil, fmt.Errorf("the new one is %d bytes longer, want it to fit in", -left)
	}
	return bytes.Replace(module, old, append(bytes.Clone(text), bytes.Repeat([]byte(" "), left)...), 1), nil
}

// quickened is the manifest of a connector with another pace.
func quickened(text []byte) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	network, _ := m["runtime_requirements"].(map[string]any)["network"].(map[string]any)
	provider, _ := network["provider"].(map[string]any)
	endpoints, _ := provider["endpoints"].([]any) // their limits stay theirs
	for _, e := range endpoints {
		if e, ok := e.(map[string]any); ok {
			delete(e, "windows")
			e["min_interval_ms"] = QuickFloor
		}
	}
	quick := map[string]any{
		"discovery_interval_ms": QuickStart, "min_interval_ms": QuickFloor, "backoff_base_ms": QuickFloor, "backoff_cap_ms": QuickStart,
		"max_attempts": 4, "max_inline_wait_ms": 5000, "timeout_ms": 20000, "breaker": map[string]any{"reset_ms": 5 * QuickStart},
	}
	if endpoints != nil {
		quick["endpoints"] = endpoints
	}
	network["provider"] = quick
	return json.Marshal(m)
}
