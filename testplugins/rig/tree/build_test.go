package tree

import (
	"os"
	"path/filepath"
	"testing"
)

// Modules of the two compilers are shared apart.
//
//nolint:paralleltest // it sets the environment
func TestShareTellsCompilersApart(t *testing.T) {
	shared, out := t.TempDir(), filepath.Join(t.TempDir(), "made.wasm")
	for _, tinygo := range []string{"", "1", ""} {
		t.Setenv("TINYGO", tinygo)
		build := func(to string) error { return os.WriteFile(to, []byte("by TINYGO="+tinygo), 0o600) }
		if err := share(shared, out, "plugins/made", build); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != "by TINYGO="+tinygo {
			t.Errorf("got %q and %v, want what TINYGO=%s builds", got, err, tinygo)
		}
	}
}
