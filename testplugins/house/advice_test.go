package house_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mostAdvice is how long a text of a gap may be: the host keeps 200 bytes of each (runtime contract, section 9), and a number
// stands in it.
const mostAdvice = 190

// AC-10: what a connector says of a gap ends with what to do about it, and the host has room for all of it.
func TestAdviceIsKeptWhole(t *testing.T) {
	t.Parallel()
	found := 0
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || !strings.HasPrefix(file, "plugins/") && !strings.HasPrefix(file, "sdk/exports/") {
			continue
		}
		_, parsed := parse(t, file)
		named := constants(parsed)
		ast.Inspect(parsed, func(n ast.Node) bool {
			for _, text := range advice(n, named) {
				if found++; len(text) > mostAdvice {
					t.Errorf("%s: %d bytes, want at most %d: %s", file, len(text), mostAdvice, text)
				}
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("%d texts were found, want all of them", found)
	}
}

// advice returns the texts of gaps in a node: of a kind of problem, of a list of problems, or of one message.
func advice(n ast.Node, named map[string]string) (texts []string) {
	add := func(e ast.Expr) {
		if text := spelled(e, named); text != "" {
			texts = append(texts, text)
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "kind" {
			for _, arg := range n.Args {
				add(arg)
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"Text", "One", "Many", "Plain", "Message"}, key.Name) {
			add(n.Value)
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if strings.Contains(spelled(e, named), ": #") {
				add(e)
			}
		}
	}
	return texts
}

// constants are the texts to which a file gives names.
func constants(f *ast.File) map[string]string {
	named := map[string]string{}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok && len(s.Values) == len(s.Names) {
					for i, name := range s.Names {
						named[name.Name] = spelled(s.Values[i], nil)
					}
				}
			}
		}
	}
	return named
}

// spelled is a text that is written as literals and the names of such.
func spelled(e ast.Expr, named map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.Ident:
		return named[e.Name]
	case *ast.BinaryExpr:
		return spelled(e.X, named) + spelled(e.Y, named)
	}
	return ""
}
