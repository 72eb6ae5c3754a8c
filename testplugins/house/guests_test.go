package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/pdpp-host/pdpp-host/"

// guestImports are the packages of the standard library that SDK and connectors
// may name: TinyGo compiles them without a scheduler.
var guestImports = append(strings.Fields(`bytes cmp embed encoding/base64 errors hash/crc32 io io/fs math math/bits os path runtime slices
	strconv strings syscall time unicode/utf16 unicode/utf8 unsafe`), unpackers...)

// unpackers are the packages of the standard library that unpack what was packed. They
// import fmt and reflect for their other half, which packs: the linker leaves that out,
// and with it fmt; TestGuestModule of the SDK looks at a module that unpacks.
var unpackers = []string{"archive/tar", "compress/flate", "compress/gzip"}

// notLinked are packages that may not come in through others either: they bring
// reflection, or make a module several times as large.
var notLinked = strings.Fields(`reflect fmt encoding/json encoding/hex log net net/http os/exec regexp crypto
	crypto/sha256 context text/template`)

// markupPackage is for standard Go alone, and TinyGo refuses it by name: connectors of this
// project do without.
const markupPackage = "sdk/markup"

// goList runs go list as for a guest and returns its lines, without the
// packages that test connectors and that TinyGo refuses.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	list := func(args ...string) []string {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	packages := slices.DeleteFunc(list("./sdk/...", "./plugins/..."), func(p string) bool { return within(p, modulePath+"sdk/sdktest") || p == modulePath+markupPackage })
	return list(append(args, packages...)...)
}

// SDK and connectors stay within what TinyGo compiles without a scheduler.
func TestGuestsAreForTinyGo(t *testing.T) {
	t.Parallel()
	imported := make(map[string][]string)
	for _, line := range goList(t, "-deps", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`) {
		words := strings.Fields(line)
		imported[words[0]] = words[1:]
	}
	met := make(map[string]bool)
	todo := goList(t)
	for len(todo) > 0 {
		dep := todo[0]
		todo = todo[1:]
		if met[dep] || slices.Contains(unpackers, dep) {
			continue
		}
		met[dep] = true
		if slices.Contains(notLinked, dep) {
			t.Errorf("guests link %s", dep)
		}
		todo = append(todo, imported[dep]...)
	}
	if !met["os"] {
		t.Error("os was not met, want what a guest imports: the search is broken")
	}
	read := 0
	for _, line := range goList(t, "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}} {{end}}`) {
		for file := range strings.FieldsSeq(line) {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			read++
			for _, p := range imports(f) {
				if !slices.Contains(guestImports, p) && !within(p, modulePath+"abi") && !within(p, modulePath+"sdk") && !within(p, modulePath+"plugins/internal") {
					t.Errorf("%s imports %s", file, p)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if needs := scheduled(n); needs != "" {
					t.Errorf("%s: %s", fset.Position(n.Pos()), needs)
				}
				return true
			})
		}
	}
	if read < 100 {
		t.Errorf("%d files were read, want all of SDK and connectors", read)
	}
}

// scheduled names what a node needs that there is not without a scheduler, or
// not in WebAssembly under TinyGo.
func scheduled(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.SelectStmt:
		return "a select statement"
	case *ast.ChanType:
		return "a channel"
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
			return "recover"
		}
	}
	return ""
}

// make builds connectors with standard Go, whatever else is on the PATH, and
// with TinyGo when it is asked to and the version fits.
func TestMakeChoosesTheCompiler(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts here")
	}
	for _, c := range []struct {
		version string // of the tinygo on the PATH
		args    []string
		says    []string
		fails   bool
	}{
		{"0.41.0", nil, []string{"go build"}, false},
		{"0.41.0", []string{"TINYGO=1"}, []string{"tinygo build -target=wasip1"}, false},
		{"0.50.1", []string{"TINYGO=1"}, []string{"tinygo build -target=wasip1"}, false},
		{"0.39.0", []string{"TINYGO=1"}, []string{"0.41 or newer", "0.39.0"}, true},
		{"", []string{"TINYGO=1"}, []string{"0.41 or newer", "none"}, true},
	} {
		dir := t.TempDir()
		answer := "exit 127"
		if c.version != "" {
			answer = `if [ "$1" = version ]; then echo "tinygo version ` + c.version + ` linux/amd64"; fi`
		}
		for name, body := range map[string]string{"tinygo": answer, "go": "exit 0"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil { //nolint:gosec // it is run
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "make", append([]string{"--no-print-directory", "plugins/calendar_files.wasm"}, c.args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "MAKEFLAGS=", "TINYGO=")
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails {
			t.Errorf("tinygo %q, make %q: got %v, want a failure: %v\n%s", c.version, c.args, err, c.fails, out)
		}
		for _, s := range c.says {
			if !strings.Contains(string(out), s) {
				t.Errorf("tinygo %q, make %q says %q, want %q", c.version, c.args, out, s)
			}
		}
	}
}
