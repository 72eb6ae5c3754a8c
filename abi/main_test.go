package abi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sources parses the package's files, tests left out.
func sources(t *testing.T) []*ast.File {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// constants returns the string constants declared with the named type, by
// their Go names, as the source spells them.
func constants(t *testing.T, typeName string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := v.Type.(*ast.Ident); !ok || id.Name != typeName {
				return true
			}
			for i, name := range v.Names {
				if lit, ok := v.Values[i].(*ast.BasicLit); ok {
					text, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					found[name.Name] = text
				}
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatalf("no constants of type %s, want len(found) != 0", typeName)
	}
	return found
}

func sortedValues(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }
