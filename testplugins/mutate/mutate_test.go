package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const source = `package p

import "example.com/p"

const most = 7

func f(a, b int, err error) (int, error) {
	if a == 1 && b > 2 {
		return a, nil
	}
	if err != nil {
		return 0, err
	}
	for a < b {
		a++
		g(a,
			b)
		g(b, "x"+"y")
	}
	a += b
	c := a - b
	return c, p.E
}
`

// Each kind of mutation is made where it can be, and nowhere else; each changes one line, and
// parses.
func TestMutationsOf(t *testing.T) {
	t.Parallel()
	all, err := mutationsOf("p/f.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range all {
		m := &all[i]
		got = append(got, m.is)
		if want := map[bool]string{true: "", false: "f"}[m.line < 6]; m.in != want {
			t.Errorf("%s is in %q, want %q", m, m.in, want)
		}
		src := m.apply([]byte(source))
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, src, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s does not parse: %v", m, err)
		}
		was, is := strings.Split(source, "\n"), strings.Split(string(src), "\n")
		if len(was) != len(is) || strings.TrimSpace(was[m.line-1]) != m.was || strings.TrimSpace(is[m.line-1]) != m.is {
			t.Errorf("%s is not of line %d alone", m, m.line)
		}
	}
	want := []string{
		"const most = 8",
		"if !(a == 1 && b > 2) {", "if false { return a, nil }", "if a == 1 || b > 2 {", "if (a == 1 || true) && b > 2 {", "if a == 1 && (b > 2 || true) {",
		"if a != 1 && b > 2 {", "if a == 2 && b > 2 {", "if a == 1 && b >= 2 {", "if a == 1 && b > 3 {",
		"for !(a < b) {", "for a <= b {", "if false { a++ }", "a--", `if false { g(b, "x"+"y") }`,
		"if false { a += b }", "a -= b", "c := a + b",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A seed chooses the same mutations each time, another one others, and each room has its share.
func TestOrder(t *testing.T) {
	t.Parallel()
	choose := func(seed uint64) (names string, first []string) {
		var byRoom [][]candidate
		for _, folder := range []string{"host/grant", "host/run/internal/ledger"} {
			list, err := candidates("../..", room{folder: folder})
			if err != nil || len(list) < 50 {
				t.Fatalf("%s has %d mutations (%v), want 50 or more", folder, len(list), err)
			}
			byRoom = append(byRoom, list)
		}
		for _, c := range order(seed, byRoom) {
			names += c.String()
			first = append(first, c.room.folder)
		}
		return names, first
	}
	one, first := choose(1)
	again, _ := choose(1)
	other, _ := choose(2)
	if one != again || one == other {
		t.Error("got another choice by the same seed, or the same by another, want neither")
	}
	if first[0] == first[1] || first[0] != first[2] {
		t.Errorf("got the rooms %v, want them in turn", first[:4])
	}
}

// Each room is there, and so are its tests.
func TestRoomsAreThere(t *testing.T) {
	t.Parallel()
	for _, r := range rooms {
		list, err := candidates("../..", r)
		if err != nil || len(list) == 0 {
			t.Errorf("%s has %d mutations (%v), want some", r.folder, len(list), err)
		}
		for _, arg := range r.args {
			if folder, ok := strings.CutPrefix(arg, "./"); ok {
				if tests, _ := filepath.Glob(filepath.Join("../..", folder, "*_test.go")); len(tests) == 0 {
					t.Errorf("%s: there are no tests in %s", r.folder, folder)
				}
			}
		}
	}
}

// Each mutation on the list has its reason, and the list is read as far as it goes.
func TestEquivalents(t *testing.T) {
	t.Parallel()
	got := readEquivalents("# why\n\na.go f\n  x == 1\nx != 1\nbecause of that\n\nb.go\ny\nz\nof this\n")
	m := mutation{file: "a.go", in: "f", was: "x == 1", is: "x != 1"}
	if len(got) != 2 || got[keyOf(&m)] != "because of that" {
		t.Errorf("got %q, want two reasons", got)
	}
	if stale := got.stale([][]candidate{{{mutation: m}}}); len(stale) != 1 || stale[0] != "b.go\ny\nz" {
		t.Errorf("got the stale entries %q, want that of b.go", stale)
	}
	known := readEquivalents(equivalentText)
	if lines := strings.Count(equivalentText, "\n"); len(known) == 0 && lines > 5 {
		t.Errorf("got no reasons in %d lines", lines)
	}
	for key, why := range known {
		if !strings.Contains(key, ".go") || len(strings.Fields(why)) < 4 {
			t.Errorf("%q is equivalent for the reason %q, want a file and a sentence", key, why)
		}
	}
}

// A mutation that the tests notice, one that they do not, one on the list, and one that does not
// compile: each is told as what it is, and the tree is as it was.
func TestTry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const code = "package p\n\nfunc Double(n int) int {\n\tm := n + n\n\treturn m\n}\n\nfunc Unused(n int) int { return n + 1 }\n"
	files := map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": code,
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := room{folder: ".", args: []string{"."}}
	all, err := candidates(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	tr := trial{o: options{root: dir}, to: &out, known: equivalents{"p.go Double\nm := n + n\nlisted": "x"}, limits: map[string]time.Duration{}}
	all = append(all, candidate{mutation{file: "p.go", in: "Double", was: "m := n + n", is: "listed"}, r}, candidate{mutation{file: "p.go", start: len(code), end: len(code), text: "x"}, r})
	for i := range all {
		if err := tr.one(t.Context(), &all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if tr.noticed != 1 || tr.unnoticed != 2 || tr.equivalent != 1 || tr.tried != 4 {
		t.Errorf("got %d noticed, %d not, %d equivalent of %d, want 1, 2 and 1 of 4\n%s", tr.noticed, tr.unnoticed, tr.equivalent, tr.tried, out.String())
	}
	for _, line := range []string{"return n - 1 }", "return n + 2 }"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("got %q, want %q told as not noticed", out.String(), line)
		}
	}
	if now, err := os.ReadFile(filepath.Join(dir, "p.go")); err != nil || string(now) != code {
		t.Errorf("got the file %q (%v), want it as it was", now, err)
	}
}
