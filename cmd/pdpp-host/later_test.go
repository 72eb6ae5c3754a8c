package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// laterEnv moves the clock of pdpp-host in a story, as in LATER=240h. The program
// itself reads no such thing.
const laterEnv = "LATER"

// mainLater is main with a clock that a story has moved.
func mainLater() {
	ahead, err := time.ParseDuration(os.Getenv(laterEnv))
	if err != nil {
		main()
		return
	}
	a := newApp()
	a.Now = func() time.Time { return time.Now().Add(ahead) }
	os.Exit(a.main(os.Args[1:]))
}

// variants are the scripted connector under other names, with another refresh
// policy each.
var variants = map[string]map[string]any{
	"scheduled": {
		"recommended_mode": "automatic", "rationale": "It may run by itself.", "maximum_staleness_seconds": 7 * 86400,
		"minimum_interval_seconds": 60, "recommended_interval_seconds": 3600, "interaction_posture": "none", "background_safe": true,
	},
	"byhand": {
		"recommended_mode": "manual", "rationale": "Its owner has to be there.", "maximum_staleness_seconds": 7 * 86400,
		"interaction_posture": "manual_action_likely", "background_safe": false,
	},
}

// variant writes a variant's manifest and returns the overlay that puts it in
// the place of the scripted connector's.
func variant(dir, name string, policy map[string]any) (overlay string, err error) {
	original, err := filepath.Abs(filepath.Join(sources["scripted"], "manifest.json"))
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
	m["capabilities"] = map[string]any{"refresh_policy": policy}
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
