package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	root   = "../.."
	module = "github.com/pdpp-host/pdpp-host"
)

// listFiles returns the slash-separated paths of every file of the project: what
// is tracked, and what is new and not ignored. Deleted ones are left out.
var listFiles = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, err
	}
	var files []string
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, f)); err == nil && info.Mode().IsRegular() && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, nil
})

func projectFiles(t *testing.T) []string {
	t.Helper()
	files, err := listFiles()
	if err != nil {
		t.Fatalf("the project's files: %v", err)
	}
	if len(files) < 20 {
		t.Fatalf("%d files are not the project", len(files))
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// goFiles returns the project's Go files, those under testdata left out.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, f := range projectFiles(t) {
		if strings.HasSuffix(f, ".go") && !strings.Contains("/"+f, "/testdata/") {
			files = append(files, f)
		}
	}
	return files
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// parse parses a Go file with its comments.
func parse(t *testing.T, file string) (*token.FileSet, *ast.File) {
	t.Helper()
	return parseText(t, read(t, file))
}

func parseText(t *testing.T, text string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return fset, f
}

// imports returns the paths that a file imports.
func imports(f *ast.File) []string {
	var out []string
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// within reports whether a folder is room or lies below it.
func within(folder, room string) bool {
	return folder == room || strings.HasPrefix(folder, room+"/")
}

func folderOf(file string) string { return path.Dir(file) }
