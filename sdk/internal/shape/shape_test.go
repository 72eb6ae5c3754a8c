package shape

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

func parse(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestFits(t *testing.T) {
	t.Parallel()
	schema := parse(t, `{"type":"object","properties":{
		"text": {"type":"string"}, "maybe": {"type":["string","null"]}, "count": {"type":"integer"}, "number": {"type":"number"},
		"flag": {"type":"boolean"}, "at": {"type":["string","null"],"format":"date-time"}, "names": {"type":"array","items":{"type":"string"}},
		"ids": {"type":"array","items":{"type":["string","null"]}}, "any": {"description":"x"}, "odd": {"type":"hologram"}, "map": {"type":"object"}
	}}`)
	fields := make(map[string]Field)
	for _, f := range Fields(schema) {
		fields[f.Name] = f
	}
	for name, values := range map[string]struct{ fit, not []string }{
		"text":   {[]string{`""`, `"a"`}, []string{`null`, `1`, `[]`}},
		"maybe":  {[]string{`"a"`, `null`}, []string{`true`, `{}`}},
		"count":  {[]string{`0`, `-7`}, []string{`1.5`, `"1"`, `null`}},
		"number": {[]string{`0`, `1.5`}, []string{`"1"`}},
		"flag":   {[]string{`true`, `false`}, []string{`0`, `"true"`}},
		"at":     {[]string{`"2026-01-02T03:04:05Z"`, `null`}, []string{`"yesterday"`, `5`}},
		"names":  {[]string{`[]`, `["a"]`}, []string{`["a",null]`, `"a"`, `[[1]]`}},
		"ids":    {[]string{`["a",null]`}, []string{`[1]`}},
		"any":    {[]string{`null`, `1`, `[[1]]`}, nil},
		"odd":    {[]string{`null`, `1`}, nil},
		"map":    {[]string{`{}`}, []string{`[]`, `null`}},
	} {
		f := fields[name]
		for _, text := range values.fit {
			if !f.Fits(parse(t, text)) {
				t.Errorf("%s takes %s: got false, want true", name, text)
			}
		}
		for _, text := range values.not {
			if v := parse(t, text); f.Fits(v) || f.Takes(v.Kind()) {
				t.Errorf("%s takes %s: got %v, and every value of its kind %v, want false", name, text, f.Fits(v), f.Takes(v.Kind()))
			}
		}
	}
	for name, want := range map[string]bool{"text": true, "any": true, "at": false, "names": false} {
		if f := fields[name]; f.Takes(jsonvalue.String) != want {
			t.Errorf("%s takes every text: got %v, want %v", name, !want, want)
		}
	}
	maybe, text := fields["maybe"], fields["text"]
	if missing := (jsonvalue.Value{}); !maybe.Fits(missing) || text.Fits(missing) {
		t.Errorf("a missing value fits maybe %v and text %v, want true and false", maybe.Fits(missing), text.Fits(missing))
	}
}
