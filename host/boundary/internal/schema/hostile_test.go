package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "NEXT", fmt.Sprint(i+1)), "N", fmt.Sprint(i)))
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, path, rule string }{
		{"nothing", ``, "", "missing"},
		{"not JSON", `{`, "", "not valid JSON"},
		{"duplicate names", `{"type":"string","type":"null"}`, "", "repeats"},
		{"not a schema", `1`, "", "metaschema's type"},
		{"wrong type", `{"properties":{"a":{"type":"strin"}}}`, "/properties/a/type", "metaschema's"},
		{"wrong keyword value", `{"properties":{"a/b":{"minLength":-1}}}`, "/properties/a~1b/minLength", "metaschema's minimum"},
		{"annotation of a wrong type", `{"title":1}`, "/title", "metaschema's type"},
		{"format of a wrong type", `{"format":1}`, "/format", "metaschema's type"},
		{"file", `{"$ref":"file:///etc/passwd"}`, "", "another document"},
		{"web", `{"$ref":"https://example.org/s.json"}`, "", "another document"},
		{"relative file", `{"$ref":"other.json"}`, "", "another document"},
		{"file by base", `{"$id":"file:///etc/","$ref":"passwd"}`, "", "another document"},
		{"metaschema from a file", `{"$schema":"file:///etc/passwd"}`, "", ""},
		{"metaschema from the web", `{"$schema":"http://example.org/meta"}`, "", ""},
		{"another draft", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, "", "2020-12"},
		{"another draft inside", `{"$defs":{"a":{"$id":"urn:a","$schema":"https://json-schema.org/draft/2019-09/schema"}},"$ref":"urn:a"}`, "/$defs/a", "2020-12"},
		{"dangling reference", `{"$ref":"#/$defs/x"}`, "", "not found"},
		{"look-ahead", `{"properties":{"a":{"pattern":"(?=a)"}}}`, "/properties/a/pattern", ""},
		{"huge expression", `{"pattern":"((a{100}){100}){100}"}`, "/pattern", ""},
		{"many expressions", `{"properties":{` + many(100, `"N":{"pattern":"N(a{1000})"}`) + `}}`, "", ""},
		{"huge number", `{"minimum":1e999999999}`, "", "out of range"},
		{"number beyond int", `{"properties":{"a":{"maxLength":18446744073709551617}}}`, "/properties/a/maxLength", "out of range"},
		{"long chain in place", `{"$ref":"#/$defs/0","$defs":{` + many(600, `"N":{"$ref":"#/$defs/NEXT"}`) + `,"600":{}}}`, "", "in place"},
		{"deep", strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), "", "nests too deep"},
		{"large", `{"description":"` + strings.Repeat("x", MaxBytes) + `"}`, "", "larger than"},
		{"many values", `{"enum":[` + many(MaxNodes, `"N"`) + `]}`, "", "values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := Compile([]byte(c.text), true)
			var p *Problem
			if !errors.As(err, &p) {
				t.Fatalf("Compile = %v, %v, want a problem", s, err)
			}
			if c.path != "" && p.Path != c.path || !strings.Contains(p.Rule, c.rule) {
				t.Errorf("problem %q, want %q: %q", p, c.path, c.rule)
			}
		})
	}
}

// The published metaschemas are built in: a reference to one loads nothing.
func TestCompileAcceptsThePublishedMetaschema(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"https://json-schema.org/draft/2020-12/schema"}`)
	if f, err := s.Check(scan(t, `{"minLength":1}`), tape.Root); f != nil || err != nil {
		t.Errorf("got %v, %v, want f == nil && no error", f, err)
	}
	if f, err := s.Check(scan(t, `{"minLength":-1}`), tape.Root); f == nil || err != nil {
		t.Errorf("got %v, %v, want f != nil && no error", f, err)
	}
}

// twice returns a schema whose work doubles with each of n definitions.
func twice(n int, outer, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":%s,`, i, strings.ReplaceAll(format, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/%d"}`, i+1)))
	}
	fmt.Fprintf(&b, `"%d":{"type":"boolean"}`, n)
	return `{"$defs":{` + b.String() + `},` + outer + `}`
}

// Most of these would run for centuries without the budget.
func TestCheckBoundsItsWork(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"x":`, 60) + `1` + strings.Repeat(`}`, 60)
	for _, c := range []struct{ name, schema, value string }{
		{"allOf", twice(60, `"$ref":"#/$defs/0"`, `{"allOf":[NEXT,NEXT]}`), `true`},
		{"anyOf", twice(60, `"$ref":"#/$defs/0"`, `{"anyOf":[NEXT,NEXT]}`), `1`},
		{"oneOf", twice(60, `"$ref":"#/$defs/0"`, `{"oneOf":[NEXT,NEXT]}`), `1`},
		{"not anyOf", twice(60, `"not":{"$ref":"#/$defs/0"}`, `{"anyOf":[NEXT,NEXT]}`), `1`},
		{"if", twice(60, `"$ref":"#/$defs/0"`, `{"if":NEXT,"else":NEXT}`), `1`},
		{"dependentSchemas in not", twice(60, `"not":{"$ref":"#/$defs/0"}`, `{"dependentSchemas":{"a":NEXT,"b":NEXT}}`), `{"a":1,"b":1}`},
		{"recursion", `{"properties":{"x":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nested},
		{"recursion by pattern", `{"properties":{"x":{"$ref":"#"}},"patternProperties":{"x":{"$ref":"#"}}}`, nested},
		{"dynamic recursion", `{"$dynamicAnchor":"r","properties":{"x":{"allOf":[{"$dynamicRef":"#r"},{"$dynamicRef":"#r"}]}}}`, nested},
		{
			"hidden dynamic anchors", `{"$ref":"#/$defs/a","$defs":{"a":{"$id":"urn:a","$dynamicRef":"#r","$defs":{"r":{"$dynamicAnchor":"r"}}},` +
				`"b":{"$dynamicAnchor":"r","properties":{"x":{"allOf":[{"$ref":"urn:a"},{"$ref":"urn:a"}]}}}}}`, nested,
		},
		{"many patterns", `{"items":{"allOf":[` + strings.Repeat(`{"pattern":"^(a|b|ab)*c$"},`, 200) + `{}]}}`, `[` + strings.Repeat(`"`+strings.Repeat("ab", 1000)+`",`, 19) + `""]`},
		{"large enum", `{"items":{"enum":[` + strings.Repeat(`123456789012345678901234567890,`, 4000) + `0]},"uniqueItems":false,"not":{"const":1}}`, `[` + strings.Repeat(`123456789012345678901234567891,`, 10_000) + `1]`},
		{"unique", `{"items":{"uniqueItems":true}}`, `[` + strings.Repeat(`[[`+strings.Repeat(`1,`, 3000)+`1],[`+strings.Repeat(`1,`, 3000)+`2]],`, 80) + `[]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, c.schema)
			tp := scan(t, c.value)
			start := time.Now()
			f, err := s.Check(tp, tape.Root)
			if err != nil && !errors.Is(err, ErrTooCostly) {
				t.Errorf("Check = %v, %v, want no error || errors.Is(err, ErrTooCostly)", f, err)
			}
			t.Logf("%d bytes: %v, %v in %v", len(c.value), f, err, time.Since(start))
		})
	}
}

// The deepest recursion that the bounds allow fits the stack.
func TestCheckSurvivesTheDeepestRecursion(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range maxInPlace - 2 {
		fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	s := compile(t, fmt.Sprintf(`{"$defs":{%s"%d":{"properties":{"x":{"$ref":"#/$defs/0"}},"pattern":"a"}},"$ref":"#/$defs/0"}`, b.String(), maxInPlace-2))
	f, err := s.Check(scan(t, strings.Repeat(`{"x":`, 62)+`1`+strings.Repeat(`}`, 62)), tape.Root)
	if f != nil || err != nil && !errors.Is(err, ErrTooCostly) {
		t.Errorf("got %v, %v, want f == nil && (no error || errors.Is(err, ErrTooCostly))", f, err)
	}
	t.Log(err)
}

// A record of the largest size against an ordinary schema of both kinds is
// within the budget.
func TestCheckAcceptsTheLargestRecord(t *testing.T) {
	t.Parallel()
	value := `{"a":[` + strings.Repeat(`{"b":"text","c":12},`, 45_000) + `{"b":"x"}]}`
	for _, text := range []string{
		`{"properties":{"a":{"items":{"properties":{"b":{"type":["string","null"]},"c":{"type":"integer"}},"required":["b"]}}}}`,
		`{"properties":{"a":{"items":{"properties":{"b":{"anyOf":[{"type":"string","pattern":"^[a-z]+$"},{"type":"null"}]},"c":{"type":"integer","multipleOf":2}},"required":["b"]}}}}`,
	} {
		s := compile(t, text)
		if f, err := s.Check(scan(t, value), tape.Root); f != nil || err != nil {
			t.Errorf("got %v, %v, want f == nil && no error", f, err)
		}
	}
}
