package field

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

// RD-15.1: values compare by their declared type, and what does not fit stands last.
func TestOrder(t *testing.T) {
	t.Parallel()
	for typ, ascending := range map[declaration.Type][]string{
		declaration.Number: {
			"-1e400", "-9007199254740993", "-9007199254740992", "-1.25", "-1.2", "-1", "-1e-400", "0", "1e-400", "0.001", "0.01", "1", "1.2", "1.25", "2", "10",
			"9007199254740992", "9007199254740993", "1e400", `null`,
		},
		declaration.DateTime: {
			`"1969-12-31T23:59:59.5Z"`, `"1970-01-01T00:00:00Z"`, `"2026-01-01T12:00:00+02:00"`, `"2026-01-01T10:00:00.000000000001Z"`, `"2026-01-01t10:00:00.1z"`, `"tomorrow"`,
		},
		declaration.Date:    {`"0001-01-01"`, `"2025-12-31"`, `"2026-01-01"`, `"2026-01-01T00:00:00Z"`},
		declaration.Text:    {`""`, `"Z"`, `"a"`, `"aa"`, `"é"`, `"\ud83d\ude00"`, `7`},
		declaration.Boolean: {"false", "true", `"true"`},
	} {
		for i := 1; i < len(ascending); i++ {
			a, b := Order(typ, []byte(ascending[i-1])), Order(typ, []byte(ascending[i]))
			if bytes.Compare(a, b) >= 0 {
				t.Errorf("%s: %s does not stand before %s: %x, %x", typ, ascending[i-1], ascending[i], a, b)
			}
		}
		if last := Order(typ, []byte(ascending[len(ascending)-1])); !IsMissing(last) {
			t.Errorf("%s: %s is not missing: %x", typ, ascending[len(ascending)-1], last)
		}
	}
	for _, same := range [][2]string{{"1.0", "1"}, {"100", "1e2"}, {"-0.0", "0"}, {"1E+2", "10e1"}} {
		if a, b := Order(declaration.Number, []byte(same[0])), Order(declaration.Number, []byte(same[1])); !bytes.Equal(a, b) {
			t.Errorf("%s and %s differ: %x, %x", same[0], same[1], a, b)
		}
	}
	for _, bad := range []string{"", "-", "1e", "1e+", ".5", "1.", "0x1", "Infinity", "1 "} {
		if order, ok := OrderTyped(declaration.Number, bad); ok {
			t.Errorf("%q is a number: %x", bad, order)
		}
	}
}

// RD-15.1: numbers order as their values do, however they are written.
func FuzzOrderNumber(f *testing.F) {
	f.Add(int64(1), int64(-1), int8(0))
	f.Fuzz(func(t *testing.T, a, b int64, shift int8) {
		text := func(n int64) []byte { return append(mustJSON(n), append([]byte("e"), mustJSON(int64(shift))...)...) }
		got := bytes.Compare(Order(declaration.Number, text(a)), Order(declaration.Number, text(b)))
		want := 0
		if a != b {
			want = -1
			if a > b {
				want = 1
			}
		}
		if got != want {
			t.Errorf("%s and %s compare as %d, want %d", text(a), text(b), got, want)
		}
	})
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// RD-18.5: cutting bytes gives what decoding, choosing and encoding does, members in their
// order, with duplicates and escapes in names.
func FuzzProject(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[1,{"a":2}],"a":3}`, `{"\u0061":"x\"}","c":null}`, ` { "a" : { } , "b" : "]" } `, `{}`, `[1]`, `{"a":`, `{"":1e5}`, `{"a":"\\"}`} {
		f.Add([]byte(seed), "a", "b")
	}
	f.Fuzz(func(t *testing.T, data []byte, one, two string) {
		keep := func(name string) bool { return name == one || name == two }
		cut := Project(nil, data, keep)
		if !json.Valid(data) {
			return // the boundary lets none pass
		}
		if !json.Valid(cut) {
			t.Fatalf("%s became %s", data, cut)
		}
		var whole, part map[string]json.RawMessage
		if json.Unmarshal(data, &whole) != nil || whole == nil {
			if string(cut) != "{}" {
				t.Errorf("%s became %s", data, cut)
			}
			return
		}
		if err := json.Unmarshal(cut, &part); err != nil {
			t.Fatal(err)
		}
		for name := range whole {
			if !keep(name) {
				delete(whole, name)
			}
		}
		if len(whole) != len(part) || len(whole) > 0 && !reflect.DeepEqual(whole, part) {
			t.Errorf("%s became %s, want %s", data, cut, mustJSON(whole))
		}
		if got, want := names(cut), slices.DeleteFunc(names(data), func(n string) bool { return !keep(n) }); !slices.Equal(got, want) {
			t.Errorf("%s became %s: the names %q, want %q", data, cut, got, want)
		}
		if v := Get(data, one); !bytes.Equal(v, whole[one]) {
			t.Errorf("%s has %q = %s, got %s", data, one, whole[one], v)
		}
	})
}

// names are the names of an object's members as a decoder sees them.
func names(data []byte) (all []string) {
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token()
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		var skip json.RawMessage
		if err != nil || !ok || dec.Decode(&skip) != nil {
			return all
		}
		all = append(all, name)
	}
	return all
}
