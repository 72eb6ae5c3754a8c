package house_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of the console's pages is what the templates make today, each file of it: make generate.
func TestTemplatesAreGenerated(t *testing.T) {
	t.Parallel()
	console := filepath.Join(root, "host", "console")
	made := t.TempDir()
	if err := os.CopyFS(made, os.DirFS(console)); err != nil {
		t.Fatal(err)
	}
	old, err := filepath.Glob(filepath.Join(made, "*", "*_templ.go"))
	if err != nil || len(old) < 10 {
		t.Fatalf("got %d generated files, %v, want 10 or more", len(old), err)
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "templ", "generate", "-path", made, "-log-level", "error")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("templ: %v\n%s", err, out)
	}
	for _, dir := range []string{made, console} { // each side has what the other has
		names, err := filepath.Glob(filepath.Join(dir, "*", "*_templ.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range names {
			name := strings.TrimPrefix(path, dir)
			want, wantErr := os.ReadFile(filepath.Join(made, name))
			got, gotErr := os.ReadFile(filepath.Join(console, name))
			if wantErr != nil || gotErr != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: got other code than its template makes (%v, %v), want make generate to change nothing", name, gotErr, wantErr)
			}
		}
	}
}
