package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const projectPath = "github.com/pdpp-host/pdpp-host/"

// mayReadHealth are the files that are no surface: the filter that shows the
// pure functions themselves.
var mayReadHealth = []string{"internal/debug/health.go"}

// surfaces are the packages of the commands and of the console.
var surfaces = []string{"./...", "../internal/...", "../pdpp-local-collector/...", "../../host/console/..."}

// HL-06.1, HL-21.1, HL-29.3: a surface renders a verdict's fields and computes
// nothing from what is below them (OC-12). No command and no page reads an axis, a state, a
// condition, a disposition or a stored fact.
func TestSurfacesReadTheVerdictAlone(t *testing.T) {
	t.Parallel()
	exports := exportData(t)
	out := goList(t, append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \",\"}}"}, surfaces...)...)
	looked := 0
	for line := range strings.Lines(out) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		if len(part) != 3 {
			t.Fatalf("go list: %q", line)
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for name := range strings.SplitSeq(part[2], ",") {
			f, err := parser.ParseFile(fset, filepath.Join(part[1], name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		looked += len(files)
		for _, r := range readsBelow(t, exports, part[0], fset, files) {
			t.Error(r)
		}
	}
	if looked < 40 {
		t.Errorf("only %d files were looked at", looked)
	}
}

// The rule itself: what it stops and what it lets pass.
func TestSurfaceRule(t *testing.T) {
	t.Parallel()
	exports := exportData(t)
	for body, want := range map[string]int{
		`_ = v.Pill.Label`:                                      0,
		`_, _ = v.Channel, v.ForwardStatement`:                  0,
		`v.Detail = nil`:                                        0,
		`_ = v.Detail != nil && len(v.Detail.Violations) > 0`:   0,
		`_ = verdict.OfStored(e.Facts, e.Moment(now, nil), ok)`: 0,
		`_ = v.Detail.Axes.Freshness`:                           2,
		`d := v.Detail; _ = d.State`:                            1,
		`_ = v.Detail.RuntimeOK`:                                1,
		`_ = v.Detail.Conditions`:                               1,
		`for range v.Streams { _ = v.Streams[0].Coverage }`:     1,
		`_ = e.Facts.Settled`:                                   1,
		`_ = v.Streams[0].Disposition == "terminal"`:            1,
	} {
		source := `package p
import ("time"; "` + projectPath + `health/verdict"; "` + projectPath + `storage")
func f(v verdict.RenderedVerdict, e *storage.Evidence, now time.Time, ok bool) { ` + body + ` ; _ = verdict.Synthesize }`
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := readsBelow(t, exports, "p", fset, []*ast.File{f}); len(got) != want {
			t.Errorf("%s: %d findings %v, want %d", body, len(got), got, want)
		}
	}
}

// readsBelow returns where files read what a verdict is made from.
func readsBelow(t *testing.T, exports map[string]string, path string, fset *token.FileSet, files []*ast.File) []string {
	t.Helper()
	open := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("no export data of " + path)
		}
		return os.Open(exports[path])
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	if _, err := conf.Check(path, fset, files, info); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		name := filepath.ToSlash(fset.Position(f.Pos()).Filename)
		if slices.ContainsFunc(mayReadHealth, func(file string) bool { return strings.HasSuffix(name, file) }) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if why := below(info.Uses[id]); why != "" {
					found = append(found, fmt.Sprintf("%s: %s %s", fset.Position(id.Pos()), id.Name, why))
				}
			}
			return true
		})
	}
	return found
}

// below says why an object is below the verdict; "" when it is not.
func below(o types.Object) string {
	if o == nil || o.Pkg() == nil {
		return ""
	}
	v, isVar := o.(*types.Var)
	switch o.Pkg().Path() {
	case projectPath + "health", projectPath + "health/stored":
		return "is of package health"
	case projectPath + "health/verdict":
		if !isVar || !v.IsField() || v.Name() == "Violations" {
			return ""
		}
		if strings.Contains(v.Type().String(), projectPath+"health.") && !strings.HasSuffix(v.Type().String(), "health.Instant") {
			return "is a fact of package health"
		}
		if ofDetail(v) {
			return "is of the inspection layer"
		}
	}
	return ""
}

// ofDetail reports whether a field is one of verdict.Detail.
func ofDetail(field *types.Var) bool {
	named, ok := field.Pkg().Scope().Lookup("Detail").Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range named.Fields() {
		if f == field {
			return true
		}
	}
	return false
}

// exportData says where the compiled form of each package is.
func exportData(t *testing.T) map[string]string {
	t.Helper()
	exports := map[string]string{}
	for line := range strings.Lines(goList(t, append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, surfaces...)...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	return exports
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
