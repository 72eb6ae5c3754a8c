package main

import (
	goparser "go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The guest keeps to what TinyGo builds without a scheduler: nothing that needs
// goroutines, reflection or encoding/json.
func TestGuestImports(t *testing.T) {
	t.Parallel()
	allowed := strings.Fields(`bytes embed errors io io/fs path slices strconv strings time unicode/utf16 unicode/utf8 unsafe`)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := goparser.ParseFile(token.NewFileSet(), f.Name(), nil, goparser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range tree.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if !slices.Contains(allowed, path) && !strings.HasPrefix(path, "github.com/pdpp-host/pdpp-host/abi") &&
				!strings.HasPrefix(path, "github.com/pdpp-host/pdpp-host/sdk") {
				t.Errorf("%s imports %s", f.Name(), path)
			}
		}
	}
	deps, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(deps)) {
		if dep = strings.TrimSpace(dep); slices.Contains(strings.Fields("fmt reflect encoding/json encoding/hex log net context regexp"), dep) {
			t.Errorf("%s is linked into the guest", dep)
		}
	}
}
