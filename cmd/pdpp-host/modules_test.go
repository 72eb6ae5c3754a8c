package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// variants are the scripted connector under other names, with another refresh
// policy each.
var variants = map[string]map[string]any{
	"scheduled": {
		"recommended_mode": "automatic", "rationale": "It may run by itself.", "maximum_staleness_seconds": 7 * 86400,
		"minimum_interval_seconds": 60, "recommended_interval_seconds": 3600, "interaction_posture": "none", "background_safe": true,
	},
	"asking": {"recommended_mode": "manual", "rationale": "It asks its owner for credentials."},
	"byhand": {
		"recommended_mode": "manual", "rationale": "Its owner has to be there.", "maximum_staleness_seconds": 7 * 86400,
		"interaction_posture": "manual_action_likely", "background_safe": false,
	},
}

// module returns the path of a story's module, built: a connector of the tree, a
// guest, or a variant.
func module(name string) (string, error) {
	policy, varies := variants[name]
	if !varies {
		return story.Module(name)
	}
	source, err := story.Source("scripted")
	if err != nil {
		return "", err
	}
	return tree.Variant(name, source, func(dir string) (string, error) { return variant(dir, name, policy) })
}

// variant writes a variant's manifest and returns the overlay that puts it in
// the place of the scripted connector's.
func variant(dir, name string, policy map[string]any) (overlay string, err error) {
	original, err := filepath.Abs("../../testplugins/guests/scripted/manifest.json")
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
	m["connector_key"], m["connector_id"] = name, "https://pdpp-host.example/connectors/"+name
	capabilities := map[string]any{"refresh_policy": policy}
	if name == "asking" {
		capabilities["auth"] = map[string]any{"kind": "env", "required": []string{"ASKING_USER", "ASKING_PASSWORD"}}
	}
	m["capabilities"] = capabilities
	if r, ok := m["runtime_requirements"].(map[string]any); ok {
		r["local_paths"] = map[string]any{"home_env_override": strings.ToUpper(name) + "_HOME", "home_default_relative_to_user_home": ".scripted"}
	}
	manifest, overlay := filepath.Join(dir, name+".json"), filepath.Join(dir, name+".overlay.json")
	if err := writeJSON(manifest, m); err != nil {
		return "", err
	}
	return overlay, writeJSON(overlay, map[string]any{"Replace": map[string]string{original: manifest}})
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
