package house_test

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// idsIn matches a requirement's or a scenario's id where it stands alone.
var idsIn = regexp.MustCompile(`\b(?:(?:RT|HL|LC|OC|FL|BR|RD|AC|OV|DC|DI)-\d\d(?:\.\d+)?|PB-[AD]\d+)\b`)

// ownFiles hold the page to the tests, and so have ids that nothing proves.
var ownFiles = []string{
	"testplugins/house/requirements_test.go", "testplugins/house/evidence_test.go", "testplugins/house/contracts_test.go",
}

// evidence has what namedIDs has found.
var evidence struct {
	once  sync.Once
	named map[string]string
}

// namedIDs returns the ids that tests name, each with the first file that does.
func namedIDs(t *testing.T) map[string]string {
	t.Helper()
	files := projectFiles(t)
	evidence.once.Do(func() { evidence.named = collectIDs(t, files) })
	return evidence.named
}

func collectIDs(t *testing.T, files []string) map[string]string {
	t.Helper()
	named := make(map[string]string)
	for _, file := range files {
		var ids []string
		switch {
		case slices.Contains(ownFiles, file):
		case strings.HasSuffix(file, ".txtar"):
			ids = storyIDs(read(t, file))
		case isTest(file):
			fset, f := parse(t, file)
			if runs(file, f) {
				ids = testIDs(fset, f)
			}
		}
		for _, id := range ids {
			if named[id] == "" {
				named[id] = file
			}
		}
	}
	return named
}

// storyIDs returns the ids in the comment that a story begins with.
func storyIDs(text string) (ids []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "#") {
			break
		}
		ids = append(ids, idsIn.FindAllString(line, -1)...)
	}
	return ids
}

// systems are the words of a build constraint that hold where these tests run.
var systems = []string{"linux", "amd64", "arm64", "unix", "gc", "go1.26"}

// runs reports whether a file of tests is built on Linux.
func runs(file string, f *ast.File) bool {
	for _, other := range []string{"_windows_test.go", "_darwin_test.go"} {
		if strings.HasSuffix(file, other) {
			return false
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() > f.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			expr, err := constraint.Parse(c.Text)
			if err != nil || !expr.Eval(func(tag string) bool { return slices.Contains(systems, tag) }) {
				return false
			}
		}
	}
	return true
}

// testIDs returns the ids that the tests of a file name: in the comment right above a test or a
// fuzz target that runs, in the comments before its first statement, and in names of subtests,
// which are the texts that Run is called with and those of tables. The words of a
// failing test, of a benchmark, and of a function that no test need call, prove nothing.
func testIDs(fset *token.FileSet, f *ast.File) (ids []string) {
	found := func(text string) { ids = append(ids, idsIn.FindAllString(text, -1)...) }
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (strings.HasPrefix(fn.Name.Name, "Benchmark") || skipped(fn)) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool { names(n, found); return true })
		if !ok || !isTestFunc(fn) {
			continue
		}
		found(fn.Doc.Text())
		for _, group := range f.Comments {
			if group.Pos() > fn.Body.Lbrace && len(fn.Body.List) > 0 && fset.Position(group.Pos()).Line <= firstLine(fset, fn) {
				found(group.Text())
			}
		}
	}
	return ids
}

// names calls found with the texts of a node that may name subtests.
func names(n ast.Node, found func(string)) {
	text := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			found(l.Value)
		}
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			text(e)
		}
	case *ast.KeyValueExpr:
		text(n.Key)
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "name" {
			text(n.Value)
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" && len(n.Args) > 1 {
			text(n.Args[0])
		}
	}
}

// firstLine is the line on which a test's own statements begin, behind t.Parallel.
func firstLine(fset *token.FileSet, fn *ast.FuncDecl) int {
	list := fn.Body.List
	if callOf(list[0]) == "Parallel" && len(list) > 1 {
		list = list[1:]
	}
	return fset.Position(list[0].Pos()).Line
}

func isTestFunc(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && (strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Fuzz"))
}

// skipped reports whether a test begins by skipping itself.
func skipped(fn *ast.FuncDecl) bool {
	return fn.Body != nil && len(fn.Body.List) > 0 && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, callOf(fn.Body.List[0]))
}

// callOf returns the method that a statement calls; "": it does something else.
func callOf(s ast.Stmt) string {
	if e, ok := s.(*ast.ExprStmt); ok {
		if c, ok := e.X.(*ast.CallExpr); ok {
			if f, ok := c.Fun.(*ast.SelectorExpr); ok {
				return f.Sel.Name
			}
		}
	}
	return ""
}

// Only what runs and can fail names a requirement.
func TestEvidence(t *testing.T) {
	t.Parallel()
	const id = "H" + "L-01.2"
	file := func(text string) []string {
		fset, f := parseText(t, "package p\n\n"+strings.ReplaceAll(text, "ID", id))
		if !runs("p_test.go", f) {
			return nil
		}
		return testIDs(fset, f)
	}
	for name, c := range map[string]struct {
		text  string
		named bool
	}{
		"above a test":          {"// ID: this.\nfunc TestX(t *testing.T) { t.Log() }", true},
		"above a fuzz target":   {"// That.\n//\n// ID\nfunc FuzzX(f *testing.F) { f.Log() }", true},
		"above a benchmark":     {"// ID\nfunc BenchmarkX(b *testing.B) { b.Log() }", false},
		"in a benchmark":        {"func BenchmarkX(b *testing.B) { b.Run(\"ID\", nil) }", false},
		"above another func":    {"// ID\nfunc helps(t *testing.T) { t.Log() }", false},
		"above a variable":      {"// ID\nvar x = 1", false},
		"not right above":       {"// ID\n\nfunc TestX(t *testing.T) { t.Log() }", false},
		"in its first line":     {"func TestX(t *testing.T) {\n\tt.Parallel()\n\t// ID\n\tt.Log()\n}", true},
		"further down":          {"func TestX(t *testing.T) {\n\tt.Log(1)\n\tt.Fail()\n\t// ID\n\tt.Log()\n}", false},
		"in what a test says":   {"func TestX(t *testing.T) { t.Errorf(\"ID\") }", false},
		"a subtest":             {"func TestX(t *testing.T) { t.Run(\"ID this\", nil) }", true},
		"a table":               {"var table = []struct{ name string }{{\"this, ID\"}}", true},
		"a table by names":      {"var table = []struct{ name string }{{name: \"ID\"}}", true},
		"a map":                 {"func TestX(t *testing.T) { _ = map[string]int{\"ID\": 1} }", true},
		"a value":               {"func TestX(t *testing.T) { _ = map[string]string{\"x\": \"ID\"} }", false},
		"skipped":               {"// ID\nfunc TestX(t *testing.T) { t.Skip() }", false},
		"skipped in some cases": {"// ID\nfunc TestX(t *testing.T) {\n\tif x {\n\t\tt.Skip()\n\t}\n}", true},
	} {
		if got := file(c.text); slices.Contains(got, id) != c.named {
			t.Errorf("%s: got %q, want it named: %v", name, got, c.named)
		}
	}
	if _, f := parseText(t, "//go:build windows || plan9\n\npackage p\n"); runs("p_test.go", f) {
		t.Error("a file of another system runs, want that it does not")
	}
	if got := storyIDs("# a story\n# " + id + "\nexec true\n# RT" + "-01\n"); !slices.Equal(got, []string{id}) {
		t.Errorf("got %q of a story, want what stands above its commands", got)
	}
	if got := idsIn.FindAllString(id+", xR"+"T-01 and PB"+"-D3x", -1); !slices.Equal(got, []string{id}) {
		t.Errorf("ids = %q", got)
	}
	for _, own := range ownFiles {
		if path.Dir(own) != "testplugins/house" || !slices.Contains(projectFiles(t), own) {
			t.Errorf("%s is not there", own)
		}
	}
}
