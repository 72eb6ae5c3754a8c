package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// pureRooms do no I/O and know neither clock nor chance. Invariant 7 rests on
// it for health: a verdict is a function of stored evidence.
var pureRooms = []string{"abi", "health"}

// doesIO reports whether a package of the standard library is a way to the
// world outside. Pure parsers under net and the time package's types are not;
// what reads the clock or sleeps is found by name.
func doesIO(path string) bool {
	if slices.Contains([]string{"net/url", "net/netip"}, path) {
		return false
	}
	for _, p := range []string{
		"os", "net", "syscall", "database", "log", "io/ioutil", "path/filepath", "plugin", "testing",
		"math/rand", "crypto/rand", "runtime", "unsafe", "embed", "context",
	} {
		if within(path, p) {
			return true
		}
	}
	return false
}

// impure are the time package's functions that ask the clock.
var impure = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "LoadLocation", "Local"}

// clockUses returns where a file names one of the impure functions.
func clockUses(f *ast.File) []*ast.SelectorExpr {
	var uses []*ast.SelectorExpr
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(impure, sel.Sel.Name) {
				uses = append(uses, sel)
			}
		}
		return true
	})
	return uses
}

func TestPureRoomsDoNoIO(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t) {
		if isTest(file) || !slices.ContainsFunc(pureRooms, func(r string) bool { return within(folderOf(file), r) }) {
			continue
		}
		fset, f := parse(t, file)
		for _, path := range imports(f) {
			if doesIO(path) {
				t.Errorf("%s imports %s", file, path)
			}
		}
		for _, use := range clockUses(f) {
			t.Errorf("%s: time.%s asks the clock", fset.Position(use.Pos()), use.Sel.Name)
		}
	}
}

func TestWhatDoesIO(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"os": true, "os/exec": true, "net": true, "net/http": true, "net/url": false, "net/netip": false, "database/sql": true,
		"log/slog": true, "strings": false, "encoding/json": false, "io": false, "osmosis": false,
	} {
		if doesIO(path) != want {
			t.Errorf("doesIO(%q) = %v", path, !want)
		}
	}
}

func TestClockUses(t *testing.T) {
	t.Parallel()
	const source = `package p
import "time"
type at time.Time
func f(t time.Time, d time.Duration) { _ = time.Now(); g(time.Since); _ = t.After(t); _ = d * time.Second }`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if uses := clockUses(f); len(uses) != 2 || uses[0].Sel.Name != "Now" || uses[1].Sel.Name != "Since" {
		t.Errorf("%d uses", len(uses))
	}
}
