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

// A module is taken from where .ci/test.sh puts those that make has built.
func TestShareTakesWhatMakeBuilt(t *testing.T) {
	t.Parallel()
	shared, out := t.TempDir(), filepath.Join(t.TempDir(), "calendar_files.wasm")
	if err := os.WriteFile(filepath.Join(shared, "plugins-calendar_files.wasm"), []byte("by make"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := func(string) error { t.Error("got it built again, want it taken"); return nil }
	if err := share(shared, out, "plugins/calendar_files", build); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "by make" {
		t.Errorf("got %q and %v, want what make has built", got, err)
	}
}

// A text in a module gives way to one that fits, at the same length, and to no other.
func TestExchange(t *testing.T) {
	t.Parallel()
	module := []byte(`code{ "pace": 9 }code`)
	got, err := exchange(module, []byte(`{ "pace": 9 }`), []byte(`{"pace":1}`))
	if want := `code{"pace":1}   code`; err != nil || string(got) != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
	for old, text := range map[string]string{`{ "pace": 8 }`: `{}`, `code`: `{}`, `{ "pace": 9 }`: `{"pace":1,"more":2}`} {
		if got, err := exchange(module, []byte(old), []byte(text)); err == nil {
			t.Errorf("%s for %s: got %q, want it refused", text, old, got)
		}
	}
}
