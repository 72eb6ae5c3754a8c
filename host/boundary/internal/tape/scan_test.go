package tape

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/check"
)

func TestScanRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		fault      Fault
		offset     int
	}{
		{"nothing", ``, Syntax, 0},
		{"space", " \n", Syntax, 2},
		{"two values", `1 2`, Syntax, 2},
		{"trailing comma", `[1,]`, Syntax, 3},
		{"leading comma", `[,1]`, Syntax, 1},
		{"trailing comma in object", `{"a":1,}`, Syntax, 7},
		{"no colon", `{"a" 1}`, Syntax, 5},
		{"name is no string", `{1:1}`, Syntax, 1},
		{"wrong close", `[1}`, Syntax, 2},
		{"wrong close of object", `{"a":1]`, Syntax, 6},
		{"open", `[1`, Syntax, 2},
		{"open string", `"abc`, Syntax, 4},
		{"open escape", `"abc\`, Syntax, 4},
		{"bare word", `truth`, Syntax, 0},
		{"short word", `nul`, Syntax, 0},
		{"upper case", `TRUE`, Syntax, 0},
		{"word run on", `nulll`, Syntax, 4},
		{"leading zero", `01`, Syntax, 1},
		{"plus", `+1`, Syntax, 0},
		{"point first", `.5`, Syntax, 0},
		{"point last", `1.`, Syntax, 2},
		{"bare exponent", `1e`, Syntax, 2},
		{"signed bare exponent", `1e+`, Syntax, 3},
		{"minus", `-`, Syntax, 1},
		{"hexadecimal", `0x1`, Syntax, 1},
		{"NaN", `NaN`, Syntax, 0},
		{"single quotes", `'a'`, Syntax, 0},
		{"comment", `1//`, Syntax, 1},
		{"byte order mark", "\ufeff1", Syntax, 0},
		{"vertical tab", "\v1", Syntax, 0},
		{"raw control", "\"a\x1fb\"", Syntax, 2},
		{"raw line feed", "\"a\nb\"", Syntax, 2},
		{"bad escape", `"\x"`, Syntax, 1},
		{"upper escape", `"\N"`, Syntax, 1},
		{"short unicode escape", `"\u12"`, Syntax, 1},
		{"bad unicode escape", `"\u12g4"`, Syntax, 1},
		{"lone high surrogate", `"\ud800"`, InvalidUTF8, 1},
		{"lone low surrogate", `"\udc00"`, InvalidUTF8, 1},
		{"two high surrogates", `"\ud800\ud800"`, InvalidUTF8, 1},
		{"high surrogate before text", `"\ud800abcdefg"`, InvalidUTF8, 1},
		{"overlong", "\"\xc0\x80\"", InvalidUTF8, 1},
		{"truncated rune", "\"\xe2\x82\"", InvalidUTF8, 1},
		{"raw surrogate", "\"\xed\xa0\x80\"", InvalidUTF8, 1},
		{"above the last rune", "\"\xf4\x90\x80\x80\"", InvalidUTF8, 1},
		{"stray continuation after ASCII", "\"abcdefghijk\x80\"", InvalidUTF8, 12},
		{"same name", `{"a":1,"a":2}`, Duplicate, 7},
		{"same name escaped later", `{"a":1,"\u0061":2}`, Duplicate, 7},
		{"same name escaped before", `{"\u0061":1,"b":0,"a":2}`, Duplicate, 18},
		{"same name both escaped", `{"\u0061":1,"\u0061":2}`, Duplicate, 12},
		{"same empty name", `{"":1,"b":2,"":3}`, Duplicate, 12},
		{"same name inside", `[{"x":{"a":1,"b":{},"a":2}}]`, Duplicate, 20},
		{"same surrogate pair", `{"😀":1,"\ud83d\ude00":2}`, Duplicate, 10},
		{"too deep", strings.Repeat("[", 5) + strings.Repeat("]", 5), Nesting, 4},
		{"too deep in an object", `{"a":{"a":{"a":{"a":{}}}}}`, Nesting, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tp := Tape{Depth: 4}
			var e *Error
			if err := tp.Scan([]byte(c.text)); !errors.As(err, &e) {
				t.Fatalf("Scan(%q) = %v, want a refusal", c.text, err)
			}
			if e.Fault != c.fault || e.Offset != c.offset {
				t.Errorf("Scan(%q) = %v, want fault %d at %d", c.text, e, c.fault, c.offset)
			}
		})
	}
}

// A name repeated among many is found by hash, wherever it is and however it
// is written.
func TestScanDuplicateAmongMany(t *testing.T) {
	t.Parallel()
	for _, count := range []int{15, 16, 17, 18, 64, 1000, 50_000} {
		for _, again := range []string{`"name0"`, fmt.Sprintf(`"name%d"`, count-1), `"n\u0061me7"`} {
			var b strings.Builder
			for i := range count {
				fmt.Fprintf(&b, `,"name%d":{"a":[1]}`, i)
			}
			var tp Tape
			good := "{" + b.String()[1:] + "}"
			if err := tp.Scan([]byte(good)); err != nil {
				t.Fatalf("%d distinct names: %v, want no error", count, err)
			}
			bad := "{" + b.String()[1:] + "," + again + ":1}"
			var e *Error
			if err := tp.Scan([]byte(bad)); !errors.As(err, &e) || e.Fault != Duplicate {
				t.Errorf("%d names and %s again: %v, want errors.As(err, &e) && e.Fault == Duplicate", count, again, err)
			}
		}
	}
}

func TestScanTape(t *testing.T) {
	t.Parallel()
	var tp Tape
	if err := tp.Scan([]byte(` {"a" : [1, 2.0, -3e1], "b\n": {}, "c": [[], true, false, null, "x\u00e9\ud83d\ude00é"]} `)); err != nil {
		t.Fatal(err)
	}
	if tp.Kind(Root) != Object || tp.Count(Root) != 3 || tp.Next(Root) != tp.Nodes() {
		t.Errorf("root: %v of %d, next %d of %d, want tp.Kind(Root) == Object && tp.Count(Root) == 3 && tp.Next(Root) == tp.Nodes()", tp.Kind(Root), tp.Count(Root), tp.Next(Root), tp.Nodes())
	}
	a := tp.Member(Root, "a")
	check.Equal(t, string(tp.Text(a)), "[1, 2.0, -3e1]", "string(tp.Text(a))")
	if !tp.Integer(a+1) || tp.Integer(a+2) || !tp.HasExponent(a+3) {
		t.Error("forms of numbers")
	}
	if n, ok := tp.Int64(a + 1); n != 1 || !ok {
		t.Errorf("Int64 = %d, %v, want n == 1 && ok", n, ok)
	}
	if b := tp.Member(Root, "b\n"); b < 0 || tp.Count(b) != 0 || tp.Next(b) != b+1 {
		t.Errorf(`tp.Member(Root, "b\n"): got b = %d, want b >= 0 && tp.Count(b) == 0 && tp.Next(b) == b + 1`, b)
	}
	c := tp.Member(Root, "c")
	last := -1
	for k, end := c+1, tp.Next(c); k < end; k = tp.Next(k) {
		last = k
	}
	if got := tp.String(last); got != "xé😀é" {
		t.Errorf(`string = %q, want "xé😀é"`, got)
	}
	if got := tp.Runes(last); got != 4 {
		t.Errorf("runes = %d, want 4", got)
	}
	if !tp.Equal(last, "xé😀é") || tp.Equal(last, "xé😀") || tp.Equal(last, "xé😀éx") {
		t.Error("Equal of an escaped string")
	}
	if tp.Member(Root, "d") != -1 {
		t.Error("a member that is not there")
	}
}

func TestVast(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`1e400`: false, `1e401`: true, `1E-401`: true, `1e0000000000400`: false,
		`1e99999999999999999999999`: true,
		strings.Repeat("9", 400):    false,
		strings.Repeat("9", 401):    true,
	} {
		var tp Tape
		if err := tp.Scan([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if tp.Vast() != want || tp.IsVast(Root) != want {
			t.Errorf("vast(%.20s) = %v, want tp.Vast() == want && tp.IsVast(Root) == want", text, tp.Vast())
		}
	}
}

func TestScanBoundsNodes(t *testing.T) {
	t.Parallel()
	text := "[" + strings.Repeat("1,", MaxNodes) + "1]"
	var tp Tape
	var e *Error
	if err := tp.Scan([]byte(text)); !errors.As(err, &e) || e.Fault != TooMany {
		t.Errorf("Scan = %v, want errors.As(err, &e) && e.Fault == TooMany", err)
	}
	if err := tp.Scan([]byte("1")); err != nil || cap(tp.nodes) > keepNodes {
		t.Errorf("a large tape is kept: %d, %v, want no error && cap(tp.nodes) <= keepNodes", cap(tp.nodes), err)
	}
}

// Hostile shapes take linear time: a quadratic scan would not end here.
func TestScanIsLinear(t *testing.T) {
	t.Parallel()
	var names, escapes strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&names, `,"%d":0`, i)
		fmt.Fprintf(&escapes, `,"\u0061%d":0`, i)
	}
	small := strings.Repeat(`,{"`+strings.Repeat("a", 40)+`1":0,"`+strings.Repeat("a", 40)+`2":0}`, 10_000)
	var tp Tape
	for _, text := range []string{"{" + names.String()[1:] + "}", "{" + escapes.String()[1:] + "}", "[" + small[1:] + "]"} {
		if err := tp.Scan([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	text := []byte(`{"a":"b\u0061","c":[1,2,{"d":null}],"é":1.5e3,"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1,"11":1,"12":1,"13":1,"\u0061b":1}`)
	var tp Tape
	if n := testing.AllocsPerRun(100, func() {
		if err := tp.Scan(text); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
