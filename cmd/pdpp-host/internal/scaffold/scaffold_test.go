package scaffold

import (
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNew(t *testing.T) {
	t.Parallel()
	for kind, files := range map[string][]string{
		KindFiles:   {".gitignore", "Makefile", "README.md", "collect.go", "collect_test.go", "go.mod", "main.go", "manifest.json", "read.go", "sample/deeper/second.txt", "sample/first.txt"},
		KindHTTP:    {".gitignore", "Makefile", "README.md", "collect.go", "collect_test.go", "go.mod", "main.go", "manifest.json", "simulation/serve/main.go", "simulation/simulation.go"},
		KindArchive: {".gitignore", "Makefile", "README.md", "collect.go", "collect_test.go", "go.mod", "main.go", "manifest.json", "sample/january.zip"},
		KindBrowser: {".gitignore", "Makefile", "README.md", "collect.go", "collect_test.go", "go.mod", "main.go", "manifest.json"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			isWritten(t, kind, files)
		})
	}
}

func isWritten(t *testing.T, kind string, want []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "My-Notes")
	names, err := New(Options{Dir: dir, Kind: kind, SDK: "/a folder/sdk", Version: "v0.0.0", Go: "1.26.0", Host: "/a $1 #folder/pdpp-host"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "{{") {
			t.Errorf("%s has an open place", name)
		}
		if strings.HasSuffix(name, ".go") {
			if formatted, err := format.Source(text); err != nil || string(formatted) != string(text) {
				t.Errorf("%s is not formatted: %v", name, err)
			}
		}
		switch name {
		case "collect.go":
			if lines := strings.Count(string(text), "\n"); lines >= 60 || strings.Contains(string(text), "map[") {
				t.Errorf("got %d lines:\n%s\nwant fewer than 60, and no list of what is known", lines, text)
			}
		case "Makefile":
			flags, err := os.ReadFile(filepath.Join(Checkout("."), "Makefile"))
			if err != nil {
				t.Fatal(err)
			}
			for variable, want := range map[string]string{
				"TINYGO_FLAGS := ": "\n\ttinygo build FLAGS -o my_notes.wasm .\n",
				"GUEST_FLAGS  := ": "\n\tGOOS=wasip1 GOARCH=wasm go build FLAGS -o $@ .\n",
			} {
				_, line, _ := strings.Cut(string(flags), variable)
				line, _, _ = strings.Cut(line, "\n")
				line = strings.ReplaceAll(line, "-ldflags='-s", "'-ldflags=-s")
				if want := strings.ReplaceAll(want, "FLAGS", line); !strings.Contains(string(text), want) {
					t.Errorf("got %s\nwant a line %q", text, want)
				}
			}
			if want := "\nPDPP_HOST ?= /a $$1 \\#folder/pdpp-host\n"; !strings.Contains(string(text), want) {
				t.Errorf("got %s\nwant a line %q", text, want)
			}
		case "manifest.json":
			m, err := manifest.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if m.ConnectorKey != "my_notes" || m.DisplayName != "My Notes" || boundary.CheckSchemas(m) != nil {
				t.Errorf("the manifest is %+v", m)
			}
		case "go.mod":
			if !strings.Contains(string(text), `=> "/a folder/sdk"`) {
				t.Errorf("got %s", text)
			}
		}
	}
	if _, err := New(Options{Dir: dir}); abi.CodeOf(err) != abi.CodeUsage {
		t.Errorf("a second time: %v", err)
	}
}

// The kind that reads files has the name of one file, too.
func TestKindFile(t *testing.T) {
	t.Parallel()
	names, err := New(Options{Dir: filepath.Join(t.TempDir(), "notes"), Kind: "file", Version: "v1.0.0", Go: "1.26.0"})
	if err != nil || !slices.Contains(names, "sample/first.txt") {
		t.Errorf("got %q (%v), want a connector of files", names, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{
		{Dir: t.TempDir(), Name: "1st"}, {Dir: t.TempDir(), Name: "a-b"}, {Dir: t.TempDir(), Name: strings.Repeat("a", 65)},
		{Dir: file, Name: "ok"}, {Dir: "/"}, {Dir: t.TempDir(), Name: "ok", Kind: "https"},
	} {
		if _, err := New(o); abi.CodeOf(err) != abi.CodeUsage {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestCheckout(t *testing.T) {
	t.Parallel()
	root := Checkout(".")
	if root == "" || Checkout(filepath.Join(root, "sdk", "nowhere")) != root {
		t.Errorf("this checkout is %q", root)
	}
	if got := Checkout(t.TempDir()); got != "" {
		t.Errorf("found %q", got)
	}
}
