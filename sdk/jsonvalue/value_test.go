package jsonvalue

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t *testing.T, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestRead(t *testing.T) {
	t.Parallel()
	v := parse(t, ` {"a":{"b":[1,-2.5e1,"x\u00e9\n",true,false,null,{}]},"\u0061b":"y","n":18446744073709551616} `)
	list := v.Get("a").Get("b")
	if v.Len() != 3 || list.Len() != 7 || list.Kind() != Array || list.At(7).Exists() || list.At(-1).Exists() {
		t.Error("an object of three members and an array of seven elements have other lengths")
	}
	if list.At(0).Int() != 1 || list.At(1).Int() != -25 || list.At(1).Float() != -25 || list.At(2).Str() != "xé\n" {
		t.Error("the array's elements are other values than 1, -25 and xé")
	}
	if !list.At(3).Bool() || list.At(4).Bool() || list.At(4).Kind() != False || !list.At(5).IsNull() || !list.At(5).Exists() {
		t.Error("true, false or null was read as another literal")
	}
	if v.Get("ab").Str() != "y" || v.Get("ab").View() != "y" || !v.Get("ab").TextIs("y") || string(v.Get("ab").Raw()) != `"y"` {
		t.Error("the member with an escaped name is not y")
	}
	if string(list.Raw()) != `[1,-2.5e1,"x\u00e9\n",true,false,null,{}]` || list.Offset() != 11 || list.At(2).Offset() != 21 {
		t.Errorf("spans: %s at %d, %d, want list.Raw() = `[1,-2.5e1,\"x\\u00e9\\n\",true,false,null,{}]`, list.Offset() = 11 and list.At(2).Offset() = 21", list.Raw(), list.Offset(), list.At(2).Offset())
	}
	if string(list.At(2).AppendText([]byte("> "))) != "> xé\n" || list.At(2).TextIs("x") || list.At(0).TextIs("1") {
		t.Error("AppendText or TextIs gave another text")
	}
	if _, ok := v.Get("n").IntOK(); ok || v.Get("n").Float() != 18446744073709551616 {
		t.Error("a number above int64 was read as an int64, or as another float64")
	}
	names := ""
	for it := v.Children(); it.Next(); {
		names += it.Name().Str() + " "
	}
	if names != "a ab n " {
		t.Errorf("names %q, want a ab n ", names)
	}
	for it := list.Children(); it.Next(); {
		if it.Name().Exists() {
			t.Error("an element with a name")
		}
	}
}

// Nothing can be done to a value that is not there.
func TestZeroValue(t *testing.T) {
	t.Parallel()
	var v Value
	for _, v := range []Value{v, v.Get("x"), v.At(0), parse(t, "{}").Get("x"), parse(t, "1").Get("x"), parse(t, `"s"`).At(0)} {
		it := v.Children()
		if v.Exists() || v.Kind() != Null || !v.IsNull() || v.Str() != "" || v.View() != "" || v.Int() != 0 || v.Float() != 0 ||
			v.Bool() || v.Len() != 0 || v.Raw() != nil || v.Offset() != -1 || it.Next() || v.TextIs("") ||
			len(v.AppendText(nil)) != 0 || string(v.AppendJSON(nil)) != "null" {
			t.Errorf("%+v, want every reading of a missing value to give a zero", v)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		n  int64
		ok bool
	}{
		"0": {0, true}, "-0": {0, true}, "12": {12, true}, "-12": {-12, true}, "12.0": {12, true}, "1.2e1": {12, true}, "120e-1": {12, true},
		"12.5": {0, false}, "9223372036854775807": {math.MaxInt64, true}, "-9223372036854775808": {math.MinInt64, true},
		"9223372036854775808": {0, false}, "1e999": {0, false}, "1e300": {0, false}, `"12"`: {0, false}, "null": {0, false},
		"999999999999999999": {999999999999999999, true}, "9007199254740993.0": {9007199254740992, true}, "1e17": {0, false},
	} {
		if n, ok := parse(t, text).IntOK(); n != want.n || ok != want.ok {
			t.Errorf("%s: %d %v, want %d and %v", text, n, ok, want.n, want.ok)
		}
	}
	if _, ok := parse(t, "1e999").FloatOK(); ok {
		t.Error("1e999 is no float64")
	}
}

func TestSyntax(t *testing.T) {
	t.Parallel()
	for text, offset := range map[string]int{
		"": 0, " ": 1, "{": 1, "[": 1, "[1": 2, "[1,": 3, "[1,]": 3, `{"a"`: 4, `{"a":`: 5, `{"a":1,}`: 7, `{"a" 1}`: 5, "{1:2}": 1, "[1}": 2,
		`{"a":1]`: 6, "1 2": 2, "01": 1, "-": 1, "1.": 2, "1e": 2, "1e+": 3, ".5": 0, "+1": 0, "nul": 0, "True": 0, `"`: 1, "\"\n\"": 1,
		`"\x"`: 2, `"\u12g4"`: 3, `"\u12`: 3, `"\`: 2, "\x00": 0, "[1,,2]": 3, "\ufeff1": 0, strings.Repeat("[", MaxDepth+1): MaxDepth,
	} {
		_, err := Parse([]byte(text))
		e, ok := err.(*SyntaxError) //nolint:errorlint // the type is the promise
		if !ok || e.Offset != offset || e.Error() == "" {
			t.Errorf("%.20q: %v, want an error at %d", text, err, offset)
		}
	}
	parse(t, strings.Repeat("[", MaxDepth)+strings.Repeat("]", MaxDepth))
}

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, MaxValueDepth-1) + `{"a":[1,"\""]}` + strings.Repeat(`]`, MaxValueDepth-1)
	for text, want := range map[string]string{
		`{"a":1.50,"b":[true,null,"x"]}`:       `{"a":1.50,"b":[true,null,"x"]}`,
		"{\n\"a\" : [ 1 ,\n2 ] }":              `{"a":[1,2]}`,
		`"\ud83d\ude00 \ud800 \udc00\ud800"`:   "\"😀 \ufffd \ufffd\ufffd\"",
		"\"a\xffb\xe2\x82\"":                   "\"a\ufffdb\ufffd\ufffd\"",
		`{"a":1,"b":2,"a":3,"\u0061":{"x":4}}`: `{"a":1,"b":2}`,
		`[{"a":1,"a":[{}]},{"a":2}]`:           `[{"a":1},{"a":2}]`,
		`"\u0000\u001f\/"`:                     "\"\\u0000\\u001f/\"",
		deep:                                   strings.Replace(deep, `[1,"\""]`, `"[1,\"\\\"\"]"`, 1),
	} {
		if got := string(parse(t, text).AppendJSON([]byte("> "))); got != "> "+want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	// Many members, with the names that collide far apart.
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `,"k%d":%d`, i%60, i)
	}
	v := parse(t, parse(t, "{"+b.String()[1:]+"}").d.again())
	if v.Len() != 60 || v.Get("k3").Int() != 3 || v.Get("k59").Int() != 59 {
		t.Errorf("%d members, want v.Len() = 60, v.Get(\"k3\").Int() = 3 and v.Get(\"k59\").Int() = 59", v.Len())
	}
}

// again is the whole text, encoded again.
func (d *Doc) again() string { return string(Value{d: d}.AppendJSON(nil)) }

// A Doc that is used again keeps nothing of the text before.
func TestReuse(t *testing.T) {
	t.Parallel()
	var d Doc
	for i := range 100 {
		text := fmt.Sprintf(`{"n":%d,"s":"\u0041%d"}`, i, i)
		v, err := d.Parse([]byte(text))
		if err != nil || v.Get("n").Int() != int64(i) || v.Get("s").View() != fmt.Sprint("A", i) {
			t.Fatalf("%s was read as %s, %v, want its own members", text, v.Raw(), err)
		}
		if _, err := d.Parse([]byte(text[:i%len(text)])); err == nil {
			t.Fatal("a cut text was accepted, want an error")
		}
		if v.Exists() {
			t.Fatal("a value outlived its text")
		}
	}
}

// Parsing and reading a line allocates nothing once the Doc has grown.
func TestAllocations(t *testing.T) {
	var d Doc
	text := []byte(sample)
	if n := testing.AllocsPerRun(100, func() {
		v, err := d.Parse(text)
		if err != nil || v.Get("message").Get("content").At(0).Get("text").View() == "" {
			t.Fatalf("%s, %v, want the text", v.Raw(), err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a line, want 0", n)
	}
}

// sample is one line as connectors meet them, 560 bytes.
const sample = `{"parentUuid":"0b4f2c66-4a2c-4c39-9d7b-3e0f6b5c8a11","isSidechain":false,"userType":"external","cwd":"/home/user/src/project",` +
	`"sessionId":"4f0c9f2e-8f57-4d0e-a4cb-1e6f1a5f5f10","version":"1.0.72","gitBranch":"main","type":"user","message":{"role":"user",` +
	`"content":[{"type":"text","text":"Please look at the failing test in parser_test.go and tell me\nwhy the third case \"empty\" fails. It worked yesterday."}]},` +
	`"uuid":"9c1d7a60-1b7c-4f6a-8a3e-5b0c7d9e2f33","timestamp":"2026-01-02T03:04:05.678Z"}`

// Of members of one name the last counts, as for JSON.parse, however each of them is spelled.
func TestMembersOfOneName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"a":2}`: "2", `{"a":1,"b":3,"a":{"a":2}}`: `{"a":2}`, `{"a":1,"\u0061":2,"b":3}`: "2", `{"\u0061":1,"a":2}`: "2", `{"a":1,"a":null}`: "null", `{"b":{"a":1}}`: "",
	} {
		v, err := Parse([]byte(text))
		if got := string(v.Get("a").Raw()); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var d Doc
	text := []byte(sample)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// AC-07: texts with half of a surrogate pair are counted.
func TestHalvesAreCounted(t *testing.T) {
	t.Parallel()
	var d Doc
	for text, want := range map[string]int{
		`"\ud83d\ude00"`: 0, `"\ud83d"`: 1, `"\ude00"`: 1, `"\ud83d\ud83d\ude00"`: 1, `"\ud83dx"`: 1, `"\ud83d\n"`: 1, `"\ufffd"`: 0, `"\\ud83d"`: 0,
		`{"\uD83D":["\ud83d","\ude00\ud83d","x"]}`: 3, `"\ud83d\u0041"`: 1,
	} {
		if _, err := d.Parse([]byte(text)); err != nil || d.Halves() != want {
			t.Errorf("%s: got %d, %v, want %d", text, d.Halves(), err, want)
		}
	}
	if _, err := d.Parse([]byte(`"\ud83d\u12"`)); err == nil {
		t.Error("an escape of two digits behind a half was accepted")
	}
}
