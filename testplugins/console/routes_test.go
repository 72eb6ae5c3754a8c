package console

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// unseen are the routes that answer a GET with something else than a page of a signed-in
// owner, and what they answer with.
var unseen = map[string]string{
	"GET /sign-in": "TestAVisitorsPagesAreAccessible", "GET /set-up": "TestAVisitorsPagesAreAccessible",
	"GET /handoffs/{id}": "TestAPageInHandIsAccessible", "GET /overview/needs": "a part of a page", "GET /connections/{name}/row": "a part of a page", "GET /connections/{name}/part": "a part of a page", "GET /runs/{id}/part": "a part of a page",
	"GET /data/{connection}/{stream}/export": "a file", "GET /data/{connection}/{stream}/record/download": "a file", "GET /data/{connection}/{stream}/record/blob": "a file",
}

// shownRoutes are the patterns of the console's pages, as its source registers them.
func shownRoutes(t *testing.T) (patterns []string) {
	t.Helper()
	files, err := filepath.Glob("../../host/console/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := gotoken.NewFileSet()
	constants, calls := map[string]ast.Expr{}, map[string][]ast.Expr{} // by folder
	for _, path := range files {
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(path))
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						constants[folder+"."+name.Name] = n.Values[i]
					}
				}
			case *ast.CallExpr:
				if on, ok := n.Fun.(*ast.SelectorExpr); ok && on.Sel.Name == "Handle" && len(n.Args) == 2 {
					calls[folder] = append(calls[folder], n.Args[0])
				}
			}
			return true
		})
	}
	used := map[string]bool{}
	for folder, all := range calls {
		for _, e := range all {
			pattern := textOf(t, constants, folder, e)
			if !strings.HasPrefix(pattern, http.MethodGet+" ") {
				continue
			}
			if used[pattern] = true; unseen[pattern] == "" {
				patterns = append(patterns, pattern)
			}
		}
	}
	for pattern := range unseen {
		if !used[pattern] {
			t.Errorf("%s is left out and is no route of the console", pattern)
		}
	}
	if len(patterns) < 20 {
		t.Errorf("the console's source registers %d pages, want those of all rooms: %q", len(patterns), patterns)
	}
	return patterns
}

// textOf is the value of a constant expression.
func textOf(t *testing.T, constants map[string]ast.Expr, folder string, e ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	case *ast.BinaryExpr:
		return textOf(t, constants, folder, e.X) + textOf(t, constants, folder, e.Y)
	case *ast.Ident:
		return textOf(t, constants, folder, constants[folder+"."+e.Name])
	case *ast.SelectorExpr:
		room, ok := e.X.(*ast.Ident)
		if !ok {
			break
		}
		return textOf(t, constants, room.Name, constants[room.Name+"."+e.Sel.Name])
	}
	t.Fatalf("a route of %s is not written as a constant: %#v", folder, e)
	return ""
}

// answers reports whether the route of a pattern answers a page.
func answers(t *testing.T, pattern, page string) bool {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(pattern, http.NotFoundHandler())
	_, matched := mux.Handler(httptest.NewRequestWithContext(t.Context(), http.MethodGet, page, nil))
	return matched == pattern
}
