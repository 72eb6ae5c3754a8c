package jsonvalue

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/abi"
)

var seeds = []string{
	sample, `{"a":[1,{"b":"\ud800\udc00\ud800x\u00e9\n"}],"a":null}`, "[\n\"\xff\xe2\x82\",1e5,-0.1]", `"\u005c\u0022"`, "[[[[]]]]",
	`{"a":{},"b":[],"\u0061":1}`, `tru`, `-`, `[1,2`, `{"":""}`, "\"\u2028\"",
}

// decode returns the value that encoding/json makes of its text. repeated is set when
// an object has a name twice, where the two differ on purpose.
func decode(v Value, repeated *bool) any {
	switch v.Kind() {
	case Null:
		return nil
	case True, False:
		return v.Bool()
	case Number:
		return json.Number(v.Raw())
	case String:
		return v.Str()
	case Array:
		list := []any{}
		for it := v.Children(); it.Next(); {
			list = append(list, decode(it.Value(), repeated))
		}
		return list
	case Object:
		m := map[string]any{}
		for it := v.Children(); it.Next(); {
			name := it.Name().Str()
			if _, ok := m[name]; ok {
				*repeated = true
				continue
			}
			m[name] = decode(it.Value(), repeated)
		}
		return m
	}
	return nil
}

// The grammar and the values are those of encoding/json.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if valid := json.Valid(text); valid != (err == nil) {
			if e, ok := err.(*SyntaxError); ok && e.Reason == "less nesting was expected" { //nolint:errorlint // its own
				return
			}
			t.Fatalf("%q: %v, encoding/json says %v", text, err, valid)
		}
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			return // deeper than encoding/json goes
		}
		repeated := false
		if got := decode(v, &repeated); !repeated && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v, want %#v", text, got, want)
		}
		if got := bytes.TrimSpace(text); !bytes.Equal(v.Raw(), bytes.Trim(got, " \t\r\n")) {
			t.Fatalf("%q: Raw is %q, want %v", text, v.Raw(), bytes.Trim(got, " \t\r\n"))
		}
	})
}

// The output of AppendJSON passes the strictest reader, is on one line, and has the
// meaning of its input.
func FuzzAppendJSON(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		got := v.AppendJSON(nil)
		if !utf8.Valid(got) || bytes.IndexByte(got, '\n') >= 0 {
			t.Fatalf("%q: %q, want utf8.Valid(got) and bytes.IndexByte(got, '\\n') less than 0", text, got)
		}
		if !jsontext.Value(got).IsValid() { // refuses repeated names and invalid UTF-8
			t.Fatalf("%q: %q is not strict JSON", text, got)
		}
		again, err := Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		if n := depth(again); n > abi.MaxNesting-2 {
			t.Fatalf("nested %d deep", n)
		}
		if depth(v) > MaxValueDepth {
			return
		}
		var ignore bool
		if a, b := decode(v, &ignore), decode(again, &ignore); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q: %#v became %#v", text, a, b)
		}
	})
}

func depth(v Value) int {
	most := 0
	for it := v.Children(); it.Next(); {
		most = max(most, depth(it.Value()))
	}
	if v.Kind() == Array || v.Kind() == Object {
		most++
	}
	return most
}
