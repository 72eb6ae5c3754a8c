package console

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// edition builds the scripted guest as another connector, with changes of its manifest: pairs
// of a text and what stands in its place.
func edition(t *testing.T, connector, version string, changes ...string) string {
	t.Helper()
	path, err := tree.Variant(connector+"-"+version, "testplugins/guests/scripted", func(dir string) (string, error) {
		original, err := filepath.Abs("../guests/scripted/manifest.json")
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(original)
		if err != nil {
			return "", err
		}
		changes = append(changes, "connectors/scripted", "connectors/"+connector, `"connector_key": "scripted"`, `"connector_key": "`+connector+`"`,
			"SCRIPTED_HOME", strings.ToUpper(connector)+"_HOME")
		manifest, overlay := filepath.Join(dir, connector+".json"), filepath.Join(dir, "overlay.json")
		replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: manifest}})
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(manifest, []byte(strings.NewReplacer(changes...).Replace(string(text))), 0o600); err != nil {
			return "", err
		}
		return overlay, os.WriteFile(overlay, replace, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}
