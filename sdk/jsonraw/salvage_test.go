package jsonraw_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// record reports whether an object has a member id, as a record of its own has.
func record(object []byte, _ bool) bool {
	r := jsonraw.Reader{Src: object}
	r.Enter('{')
	for first := true; ; first = false {
		name, ok := r.Member(first)
		if !ok {
			return false
		}
		if r.Value(); string(name) == "id" {
			return true
		}
	}
}

// AC-06: a damaged line costs what is damaged.
func TestSalvage(t *testing.T) {
	t.Parallel()
	nul := strings.Repeat("\x00", 100)
	for _, c := range []struct {
		line, want string
		lost       int
	}{
		{`{"id":1}`, `{"id":1}`, -1},
		{`{"id":1}{"id":2}` + "\r", `{"id":1}|{"id":2}`, -1},
		{`{"id":1} {"id":2}  {"id":3}`, `{"id":1}|{"id":2}|{"id":3}`, -1},
		{nul + `{"id":1}`, `{"id":1}`, 0},
		{`{"id":1}` + nul + `{"id":2}` + nul, `{"id":1}|{"id":2}`, 8},
		{nul, ``, 0},
		{`{"id":1,"text":"cu{"id":2}`, `{"id":2}`, 0},
		{`{"id":1,"text":"cut` + nul + `{"id":2,"a":{"b":"}"}}`, `{"id":2,"a":{"b":"}"}}`, 0},
		{`{"id":1,"in":{"role":"x"},"te{"id":2}{"id":3,`, `{"id":2}`, 0},
		{`{"id":1}{"id":2,"text":"cu`, `{"id":1}`, 8},
		{`"},"id":1}{"id":2}`, `{"id":2}`, 0},
		{`{"id":1,"text":"a` + "\x00" + `b"}`, `{"id":1,"text":"a b"}`, 17},
		{`{"id":1,"text":"a` + "\t" + `b"}`, `{"id":1,"text":"a b"}`, -1},
		{`{"other":1}{"id":2}`, `{"id":2}`, 0},
		{`not json`, ``, 0},
		{``, ``, -1},
		{`{"id":1,"code":"f() { return {\"id\":9} }`, ``, 0},
	} {
		line := []byte(c.line)
		s := jsonraw.NewSalvage(line, record)
		var got []string
		for s.Next() {
			got = append(got, string(s.Object()))
		}
		if strings.Join(got, "|") != c.want || s.Lost() != c.lost {
			t.Errorf("%q: got %q, broken at %d, want %q and %d", c.line, got, s.Lost(), c.want, c.lost)
		}
		if string(line) != c.line {
			t.Errorf("%q was changed", c.line)
		}
	}
}

// Braces that never close cost time in proportion to the line.
func TestSalvageIsBounded(t *testing.T) {
	t.Parallel()
	line := bytes.Repeat([]byte(`{"a":`), 20_000)
	asked := 0
	s := jsonraw.NewSalvage(line, func([]byte, bool) bool { asked++; return true })
	for s.Next() {
		t.Fatal("an object was found where none closes")
	}
	if s.Lost() != 0 || asked != 0 {
		t.Errorf("broken at %d, %d objects, want 0 and 0", s.Lost(), asked)
	}
}

// FuzzSalvage holds that whole records come through whatever is between them, as long as it
// can't be read as a part of one.
func FuzzSalvage(f *testing.F) {
	f.Add([]byte(`{"id":1,"text":"cu`))
	f.Add([]byte("\x00\x00"))
	f.Add([]byte(`{"a":[{}],`))
	f.Fuzz(func(t *testing.T, damage []byte) {
		if bytes.ContainsAny(damage, "\n") {
			return
		}
		s := jsonraw.NewSalvage(damage, func(object []byte, _ bool) bool {
			r := jsonraw.Reader{Src: object}
			if r.Value(); !r.End() {
				t.Fatalf("%q is no object", object)
			}
			return true
		})
		last := -1
		for s.Next() {
			if s.At() <= last {
				t.Fatalf("at %d after %d", s.At(), last)
			}
			last = s.At()
		}
		// Behind a NUL a record begins anew, unless the damage leaves a string open.
		line := append(append(bytes.ReplaceAll(damage, []byte(`"`), nil), 0), `{"id":"mark"}`...)
		found := false
		for s := jsonraw.NewSalvage(line, record); s.Next(); {
			found = found || string(s.Object()) == `{"id":"mark"}`
		}
		if !found {
			t.Fatalf("the record behind %q is not found", damage)
		}
	})
}
