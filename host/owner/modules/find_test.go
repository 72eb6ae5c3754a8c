package modules_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// A connector is found under either spelling of its key, its own first.
func TestFindsAModuleByEitherSpelling(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"notes-export.wasm", "both-ways.wasm", "both_ways.wasm"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string]string{
		"notes-export": "notes-export.wasm", "notes_export": "notes-export.wasm", "Notes-Export": "notes-export.wasm",
		"both_ways": "both_ways.wasm", "both-ways": "both-ways.wasm",
	} {
		if path, there := modules.Path(dir, typed); !there || filepath.Base(path) != want {
			t.Errorf("%s is found at %s (%t), want %s", typed, filepath.Base(path), there, want)
		}
	}
	if path, there := modules.Path(dir, "other"); there {
		t.Errorf("a connector that is not there was found at %s", path)
	}
}
