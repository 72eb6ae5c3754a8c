package tree

import (
	"encoding/json"
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
	build := func(to string) error {
		dir, err := os.MkdirTemp("", "pdpp-quick-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // the module is built
		overlay, err := quickened(dir, folder)
		if err != nil {
			return err
		}
		return compile(to, folder, overlay)
	}
	return Share(at, folder+"-quick", build)
}

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
	name := filepath.Join(dir, "manifest.json")
	if err := writeJSON(name, m); err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, writeJSON(overlay, map[string]any{"Replace": map[string]string{original: name}})
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
