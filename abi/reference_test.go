package abi_test

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// reference is abi/ABI.md, by heading: each table's rows and each fenced
// block's words.
type reference struct {
	tables map[string][][]string // heading -> rows of all its tables, headers left out
	fences map[string][]string   // info string -> words
	// required are the fields that are marked so, by heading.
	required map[string][]string
	prose    string
}

func readReference(t *testing.T) reference {
	t.Helper()
	f, err := os.Open("ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := reference{tables: map[string][][]string{}, fences: map[string][]string{}, required: map[string][]string{}}
	var heading, fence string
	var all strings.Builder
	header := true
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		all.WriteString(line + "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			if fence != "" {
				fence = ""
			} else if fence = strings.TrimPrefix(line, "```"); fence == "" {
				fence = "plain"
			}
		case fence != "":
			r.fences[fence] = append(r.fences[fence], strings.Fields(line)...)
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case !strings.HasPrefix(line, "|"):
			header = true
		case strings.HasPrefix(line, "|---"):
			header = false
		case !header:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "`", "")
			}
			if name, required := strings.CutSuffix(cells[0], " *"); required {
				cells[0] = name
				r.required[heading] = append(r.required[heading], name)
			}
			r.tables[heading] = append(r.tables[heading], cells)
		}
	}
	r.prose = all.String()
	return r
}

func (r reference) column(t *testing.T, heading string, n int) []string {
	t.Helper()
	rows := r.tables[heading]
	if len(rows) == 0 {
		t.Fatalf("ABI.md has no table under %q, want len(rows) != 0", heading)
	}
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = rows[i][n]
	}
	return out
}

// same reports elements that occur on one side only.
func same(t *testing.T, what string, documented, actual []string) {
	t.Helper()
	for _, d := range documented {
		if !slices.Contains(actual, d) {
			t.Errorf("%s: ABI.md has %q, which does not exist, want slices.Contains(actual, d)", what, d)
		}
	}
	for _, r := range actual {
		if !slices.Contains(documented, r) {
			t.Errorf("%s: ABI.md lacks %q, want slices.Contains(documented, r)", what, r)
		}
	}
	if len(documented) != len(actual) {
		t.Errorf("%s: %d rows for %d", what, len(documented), len(actual))
	}
}

func TestReferenceCalls(t *testing.T) {
	t.Parallel()
	var documented, actual []string
	for _, row := range readReference(t).tables["Host calls"] {
		if len(row) == 7 {
			documented = append(documented, strings.Join(row[:6], " | "))
		}
	}
	phases := map[abi.Phase]string{abi.PhaseDescribe: "describe", abi.PhaseCollect: "collect", abi.PhaseAny: "any"}
	for _, c := range abi.Calls {
		most := ""
		if c.MaxBytes > 0 {
			most = strconv.Itoa(int(c.MaxBytes))
		}
		actual = append(actual, strings.Join([]string{c.Name, values(c.Params), values(c.Results), phases[c.Phase], most, c.Binding}, " | "))
	}
	if !slices.Equal(documented, actual) {
		t.Errorf("documented\n%s\nreal\n%s, want slices.Equal(documented, actual)", strings.Join(documented, "\n"), strings.Join(actual, "\n"))
	}
}

func values(vs []abi.ValueType) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

func TestReferenceResults(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, row := range readReference(t).tables["Host calls"] {
		if len(row) == 2 {
			documented = append(documented, row[0])
		}
	}
	same(t, "results", documented, []string{
		strconv.Itoa(int(abi.ResultOK)), strconv.Itoa(int(abi.ResultStop)), strconv.Itoa(int(abi.ResultRefused)),
	})
}

func TestReferenceOperations(t *testing.T) {
	t.Parallel()
	var documented, actual []string
	for _, row := range readReference(t).tables["Operations"] {
		documented = append(documented, strings.Join(row[:3], " | "))
	}
	for _, o := range abi.Operations {
		actual = append(actual, fmt.Sprintf("%d | %s | %s", o.Op, o.Name, o.Binding))
	}
	same(t, "operations", documented, actual)
}

func TestReferenceExports(t *testing.T) {
	t.Parallel()
	r := readReference(t)
	same(t, "exports", r.column(t, "Exports", 0), []string{
		abi.ExportMemory, abi.ExportInitialize, abi.ExportVersion, abi.ExportDescribe, abi.ExportCollect,
	})
	for _, word := range []string{
		abi.ImportModule, abi.WASIModule, abi.ExtismEnvModule, abi.ExtismUserModule, "must return " + strconv.Itoa(abi.Version),
	} {
		if !strings.Contains(r.prose, word) {
			t.Errorf("ABI.md does not say %q, want strings.Contains(r.prose, word)", word)
		}
	}
}

func TestReferenceWASI(t *testing.T) {
	t.Parallel()
	r := readReference(t)
	same(t, "WASI", r.fences["wasi"], abi.WASI)
	same(t, "WASI with filesystem", r.fences["wasi-filesystem"], abi.WASIFilesystem)
}

// limits returns the untyped integer constants whose name starts with Max or
// ends in Bytes, evaluated.
func limits(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 || v.Type != nil {
				return true
			}
			if name := v.Names[0].Name; strings.HasPrefix(name, "Max") || strings.HasSuffix(name, "Bytes") {
				out = append(out, fmt.Sprintf("%s | %d", name, number(t, v.Values[0])))
			}
			return true
		})
	}
	return out
}

// number evaluates the two shapes that a limit is written in: 64 and 4 << 20.
func number(t *testing.T, e ast.Expr) int64 {
	t.Helper()
	switch v := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(v.Value, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	case *ast.BinaryExpr:
		if v.Op == token.SHL {
			return number(t, v.X) << number(t, v.Y)
		}
	}
	t.Fatalf("a limit is written as %T", e)
	return 0
}

func TestReferenceLimits(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, row := range readReference(t).tables["Limits"] {
		documented = append(documented, row[0]+" | "+row[1])
	}
	same(t, "limits", documented, limits(t))
}

// Every field of every message, by its path, as ABI.md lists them.
func TestReferenceMessages(t *testing.T) {
	t.Parallel()
	r := readReference(t)
	for heading, message := range map[string]any{
		"START": abi.Start{}, "STATE": abi.State{}, "PROGRESS": abi.Progress{}, "SKIP_RESULT": abi.SkipResult{}, "ACCOUNT": abi.Account{},
		"DETAIL_GAP": abi.DetailGap{}, "DETAIL_GAP_ATTEMPTED and DETAIL_GAP_RECOVERED": abi.GapOutcome{},
		"DETAIL_COVERAGE": abi.DetailCoverage{}, "INTERACTION": abi.Interaction{},
		"INTERACTION_RESPONSE": abi.InteractionResponse{}, "DONE": abi.Done{},
	} {
		same(t, heading, r.column(t, heading, 0), fields(reflect.TypeOf(message), ""))
	}
	for name, kind := range constantsOfPrefix(t, "Type") {
		if !strings.Contains(r.prose, kind) {
			t.Errorf("ABI.md does not tell of %s (%s), want strings.Contains(r.prose, kind)", kind, name)
		}
	}
}

// Every field of the heads of the http operation. The failure's object is all
// that its head holds, and has no row of its own.
func TestReferenceHTTP(t *testing.T) {
	t.Parallel()
	heads := slices.Concat(fields(reflect.TypeOf(abi.HTTPRequest{}), ""), fields(reflect.TypeOf(abi.HTTPResponse{}), ""),
		fields(reflect.TypeOf(abi.HTTPError{}), "")[1:])
	same(t, "HTTP", readReference(t).column(t, "HTTP", 0), heads)
}

func TestReferenceManifest(t *testing.T) {
	t.Parallel()
	documented := readReference(t).column(t, "Manifest", 0)
	// An object that holds only what is listed below it needs no row.
	var leaves []string
	for _, path := range fields(reflect.TypeOf(abi.Manifest{}), "") {
		if !slices.ContainsFunc(fields(reflect.TypeOf(abi.Manifest{}), ""), func(other string) bool {
			return strings.HasPrefix(other, path+".") || strings.HasPrefix(other, path+"[]")
		}) {
			leaves = append(leaves, path)
		}
	}
	// The provider's limits have a table of their own.
	const provider = "runtime_requirements.network.provider"
	limits := []string{}
	leaves = slices.DeleteFunc(leaves, func(path string) bool {
		field, is := strings.CutPrefix(path, provider+".")
		if is {
			limits = append(limits, field)
		}
		return is
	})
	same(t, "manifest", documented, append(leaves, provider))
	same(t, "provider", readReference(t).column(t, "Provider", 0), limits)
}

// fields lists the JSON paths of a struct's fields: a.b for a nested object,
// a[].b for an array of them. Maps are leaves.
func fields(typ reflect.Type, prefix string) []string {
	var out []string
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		path := prefix + name
		out = append(out, path)
		of := typ.Field(i).Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case of.Kind() == reflect.Struct:
			out = append(out, fields(of, path+".")...)
		case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
			out = append(out, fields(of.Elem(), path+"[].")...)
		}
	}
	return out
}

// constantsOfPrefix returns the untyped string constants whose names begin with
// prefix.
func constantsOfPrefix(t *testing.T, prefix string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Type != nil || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, prefix) {
				return true
			}
			if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out[v.Names[0].Name] = text
			}
			return true
		})
	}
	if len(out) == 0 {
		t.Fatalf("no constants named %s..., want len(out) != 0", prefix)
	}
	return out
}

// The codes of the areas that a guest or its author meets.
func TestReferenceErrors(t *testing.T) {
	t.Parallel()
	var actual []string
	for _, code := range constants(t, "Code") {
		if area, _, _ := strings.Cut(code, "."); area == "boundary" || area == "limit" || area == "guest" {
			actual = append(actual, code)
		}
	}
	same(t, "errors", readReference(t).column(t, "Errors", 0), actual)
}

func TestReferenceVocabulary(t *testing.T) {
	t.Parallel()
	prose := readReference(t).prose
	words := slices.Concat(abi.RecoveryActions, bindings)
	for _, r := range abi.GapReasons {
		words = append(words, string(r))
	}
	for _, prefix := range []string{"Mode", "Interaction", "Response", "Done", "Semantics", "Coverage"} {
		for _, word := range constantsOfPrefix(t, prefix) {
			words = append(words, word)
		}
	}
	for _, word := range words {
		if !strings.Contains(prose, "`"+word+"`") && !strings.Contains(prose, word+" ") {
			t.Errorf("ABI.md does not tell of %s, want strings.Contains(prose, \"`\"+word+\"`\") || strings.Contains(prose, word+\" \")", word)
		}
	}
}
