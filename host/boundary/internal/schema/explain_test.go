package schema

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

func TestCheckExplains(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object","required":["id","at"],"properties":{
		"id":{"type":"string","minLength":2},"at":{"type":"string","format":"date-time"},"n":{"type":["integer","null"],"minimum":0},
		"tags":{"type":"array","items":{"enum":["x","y"]},"maxItems":3},"a/b~":{"const":1},
		"closed":{"additionalProperties":false},
		"by":{"type":"object","additionalProperties":{"type":"integer"}},
		"any":{"anyOf":[{"type":"string"},{"type":"null"}]},"none":false,"ref":{"$ref":"#/$defs/r"}},
		"additionalProperties":false,"$defs":{"r":{"properties":{"id":{"type":"boolean"}}}}}`
	const ok = `"id":"ab","at":"2026-01-31T10:00:00Z"`
	for _, c := range []struct{ value, path, keyword string }{
		{`{` + ok + `}`, "", ""},
		{`[]`, "", "type"},
		{`{"id":"ab"}`, "/at", "required"},
		{`{}`, "/at", "required"},
		{`{"id":"a","at":"2026-01-31T10:00:00Z"}`, "/id", "minLength"},
		{`{"id":"ab","at":"yesterday"}`, "/at", "format"},
		{`{` + ok + `,"n":1.5}`, "/n", "type"},
		{`{` + ok + `,"n":1.0}`, "", ""},
		{`{` + ok + `,"n":1e2}`, "", ""},
		{`{` + ok + `,"n":-1}`, "/n", "minimum"},
		{`{` + ok + `,"tags":["x","z"]}`, "/tags/1", "enum"},
		{`{` + ok + `,"tags":["x","x","x","x"]}`, "/tags", "maxItems"},
		{`{` + ok + `,"a/b~":2}`, "/a~1b~0", "const"},
		{`{` + ok + `,"secret name":2}`, "/*", "additionalProperties"},
		{`{` + ok + `,"updated_at":2,"zip":1}`, "/updated_at", "additionalProperties"},
		{`{` + ok + `,"` + strings.Repeat("x", 41) + `":2}`, "/*", "additionalProperties"},
		{`{` + ok + `,"closed":{"alice":2}}`, "/closed/*", "additionalProperties"},
		{`{` + ok + `,"by":{"+41 79 123 45 67":"x"}}`, "/by/*", "type"},
		{`{` + ok + `,"by":{"0":"x"}}`, "/by/*", "type"},
		{`{` + ok + `,"any":1}`, "/any", "anyOf"},
		{`{` + ok + `,"none":1}`, "/none", "false"},
		{`{` + ok + `,"ref":{"id":1}}`, "/ref/id", "type"},
		{`{` + ok + `,"n":1e999999999}`, "/n", "type"},
		{`{` + ok + `,"by":{"mine":1e-99999}}`, "/by/*", "type"},
		// Of several failures the first by place is reported, run after run.
		{`{"id":"a","at":"x","n":-1,"tags":["z"]}`, "/at", "format"},
	} {
		s := compile(t, object)
		for range 4 {
			f, err := s.Check(scan(t, c.value), tape.Root)
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				f = &Failure{}
			}
			if f.Path != c.path || f.Keyword != c.keyword {
				t.Errorf("%s: %q %q, want %q %q", c.value, f.Path, f.Keyword, c.path, c.keyword)
			}
		}
	}
}

// A large value's refusal is the shape's own, and names the same place.
func TestCheckExplainsLargeValues(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties":{"a":{"items":{"required":["b"],"properties":{"b":{"type":"integer"}}}}}}`)
	many := strings.Repeat(`{"b":1},`, largeValue/3)
	for _, c := range []struct{ last, path, keyword string }{
		{`{"b":"x"}`, "/a/21845/b", "type"},
		{`{"c":1}`, "/a/21845/b", "required"},
	} {
		f, err := s.Check(scan(t, `{"x":{"y":1},"a":[`+many+c.last+`]}`), tape.Root)
		if err != nil || f == nil || f.Path != c.path || f.Keyword != c.keyword {
			t.Errorf("%s: got %v, %v, want no error && f != nil && f.Path == c.path && f.Keyword == c.keyword", c.last, f, err)
		}
	}
}
