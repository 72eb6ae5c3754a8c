package abi_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Guests link this package, also under TinyGo: it imports errors and nothing
// else, so that no reflection, formatting or JSON library comes with it.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t) {
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if path != "errors" {
				t.Errorf(`%s imports %s, want "errors"`, f.Name.Name, path)
			}
		}
	}
}

func TestDependenciesDoNoIO(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if slices.Contains([]string{"os", "io", "net", "fmt", "reflect", "encoding/json", "syscall", "time", "unicode"}, dep) {
			t.Errorf(`abi links %s, want !slices.Contains([]string{"os", "io", "net", "fmt", "reflect", "encoding/json", "syscall", "time", "unicode"}, dep)`, dep)
		}
	}
}

func TestCompilesForGuests(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "vet", ".")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("got %v\n%s, want no error", err, out)
	}
}
