package manifest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

func TestStrictDocument(t *testing.T) {
	t.Parallel()
	small := string(encode(t, minimal()))
	with := func(member string) string { return small[:len(small)-1] + "," + member + "}" }
	for name, c := range map[string]struct{ doc, path, words string }{
		"a comma too many":          {"{\n \"a\": 1,\n \"ü\": [1,]\n}", "", "(line 3, column 10): invalid character ']'"},
		"a brace too few":           {"{\n\"a\": {}\n", "", "(line 3, column 1): unexpected end of JSON input"},
		"an end in the middle":      {`{"a"`, "", "(line 1, column 5): unexpected end of JSON input"},
		"a second value":            {"{}\n {}", "", "(line 2, column 2): invalid character '{' after top-level value"},
		"invalid UTF-8 in line 2":   {"{\n\"ü\": \"\xff\"}", "", "valid UTF-8 (line 2, column 7)"},
		"half a pair in line 2":     {"{\n\"x\": \"\\ud800\"}", "", "surrogate pair (line 2, column 7)"},
		"empty":                     {"", "", "empty"},
		"nothing but space":         {"  \n", "", "one JSON value"},
		"not JSON":                  {"version: 1", "", "one JSON value"},
		"cut off":                   {small[:len(small)-1], "", "one JSON value"},
		"trailing value":            {small + "{}", "", "one JSON value"},
		"trailing comma":            {with(""), "", "one JSON value"},
		"not an object":             {"[1]", "", "must be an object"},
		"null":                      {"null", "", "must be an object"},
		"invalid UTF-8":             {with(`"x":"` + "\xff" + `"`), "", "valid UTF-8"},
		"half a surrogate pair":     {with(`"x":"\ud800"`), "", "surrogate"},
		"high half before a letter": {with(`"x":"\ud800\u0041"`), "", "surrogate"},
		"low half alone":            {with(`"x":"\udc00"`), "", "surrogate"},
		"duplicate name":            {with(`"version":"9.9.9"`), "version", "twice"},
		"duplicate escaped name":    {with(`"vers\u0069on":"9.9.9"`), "version", "twice"},
		"duplicate deep in unread":  {with(`"profiles":[{"a":{"b":1,"b":2}}]`), "profiles[0].a.b", "twice"},
		"duplicate hostile name":    {with(`"\u001b[2J":1,"\u001b[2J":2`), `["\x1b[2J"]`, "twice"},
		"too deep":                  {with(`"x":` + strings.Repeat("[", abi.MaxNesting) + strings.Repeat("]", abi.MaxNesting)), "x" + strings.Repeat("[0]", abi.MaxNesting-1), "nest"},
		"too large":                 {small + strings.Repeat(" ", abi.MaxManifestBytes), "", "at most 1048576 bytes"},
		"too many values":           {with(`"x":[` + strings.Repeat("1,", 100_000) + "1]"), "", "100000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, []byte(c.doc), c.path, c.words)
		})
	}
	for name, doc := range map[string]string{
		"a surrogate pair":       with(`"x":"\ud83d\ude00"`),
		"an escaped backslash":   with(`"x":"\\ud800"`),
		"as deep as is allowed":  with(`"x":` + strings.Repeat("[", abi.MaxNesting-1) + strings.Repeat("]", abi.MaxNesting-1)),
		"as large as is allowed": small + strings.Repeat(" ", abi.MaxManifestBytes-len(small)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if problems := manifest.Problems([]byte(doc)); problems != nil {
				t.Errorf("refused: %q, want problems == nil", problems)
			}
		})
	}
}

// Names match by case: encoding/json's own matching would accept "STREAMS" for
// "streams".
func TestNamesMatchByCase(t *testing.T) {
	t.Parallel()
	m := minimal()
	m["STREAMS"] = list{}
	if got := valid(t, m); len(got.Streams) != 1 {
		t.Errorf("streams = %+v, want 1", got.Streams)
	}
	delete(m, "streams")
	refused(t, encode(t, m), "streams", "required")
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	m := minimal()
	var fields list
	for range 250 {
		fields = append(fields, object{"name": "Not A Name"})
	}
	m["streams"] = fields
	if got := len(manifest.Problems(encode(t, m))); got != 100 {
		t.Errorf("%d problems, want 100", got)
	}
}

// FuzzParse holds, for any bytes: no panic, Parse and Problems agree, what is
// accepted keeps the rules that the host relies on, and nothing told about a
// refused one can move a terminal's cursor.
func FuzzParse(f *testing.F) {
	f.Add(maximal(f))
	f.Add(encode(f, minimal()))
	f.Add([]byte(`{"streams":[{"name":"a","state_stream":"a"}],"streams":1}`))
	f.Add([]byte(`{"runtime_requirements":{"bindings":{"\u001b":{}}}}`))
	f.Add([]byte(`"\ud800`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		input := bytes.Clone(raw)
		m, err := manifest.Parse(raw)
		problems := manifest.Problems(raw)
		if !bytes.Equal(raw, input) {
			t.Fatal("the input was changed")
		}
		if (err == nil) != (len(problems) == 0) || (err == nil) != (m != nil) {
			t.Fatalf("Parse = %v, %v; Problems = %q, want (err == nil) == (len(problems) == 0) && (err == nil) == (m != nil)", m, err, problems)
		}
		if err != nil {
			if s := err.Error(); strings.ContainsAny(s, "\x00\x07\x1b\r\n\u0085\u202e") {
				t.Fatalf(`unprintable: %q, want !strings.ContainsAny(s, "\x00\x07\x1b\r\n\u0085\u202e")`, s)
			}
			return
		}
		names := make(map[string]bool)
		for _, s := range m.Streams {
			if s.Name == "" || names[s.Name] || len(s.PrimaryKey) == 0 || len(s.Schema) == 0 || s.Semantics == "" {
				t.Fatalf(`accepted: %+v, want s.Name != "" && !names[s.Name] && len(s.PrimaryKey) != 0 && len(s.Schema) != 0 && s.Semantics != ""`, s)
			}
			names[s.Name] = true
		}
		for _, s := range m.Streams {
			for _, parent := range s.Parents() {
				if !names[parent] {
					t.Fatalf("%s depends on unknown %q, want names[parent]", s.Name, parent)
				}
			}
		}
	})
}
