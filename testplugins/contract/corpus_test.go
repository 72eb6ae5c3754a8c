package contract

import (
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// AC-01, AC-02, AC-04, AC-05: each connector of files meets as many items as its corpus was written
// with, knows every name in it, and has read what it says it has.
func TestConnectorsMeetEveryItem(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds every connector of files")
	}
	for _, name := range corpus.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "corpus")
			stats, err := corpus.Write(corpus.Options{Kind: name, Bytes: 60_000, Dir: dir, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			r := check(t, Options{File: rig.Guest(t, "plugins/"+name), Roots: map[string]string{name: dir}, Items: stats.Items})
			for _, id := range []string{"collect.items", "collect.names", "collect.files"} {
				if c := r.Clause(id); c.Outcome != Pass {
					t.Errorf("%s: got %s, %s, want pass", id, c.Outcome, c.Detail)
				}
			}
		})
	}
}
