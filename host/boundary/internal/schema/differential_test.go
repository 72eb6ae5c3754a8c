package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// reference is the library on its own: no meter, no shape.
func reference(t interface{ Fatalf(string, ...any) }, text string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: got %v, want no error", text, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("mem:///s", doc); err != nil {
		t.Fatalf(`%s: c.AddResource("mem:///s", doc): got %v, want no error`, text, err)
	}
	s, err := c.Compile("mem:///s")
	if err != nil {
		t.Fatalf("%s: got %v, want no error", text, err)
	}
	return s
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Few names, few strings and few numbers, so that schemas and instances meet.
var (
	genName   = rapid.SampledFrom([]string{"a", "b", "c", "d", "é", "a/b", "~", "", "q\"", "long_name_of_a_member"})
	genString = rapid.SampledFrom([]string{
		"", "a", "b", "ab", "é", "😀", "a\n", "\u0000", "2026-01-31", "2026-02-30", "2026-01-31T10:00:00Z",
		"2026-01-31T23:59:60Z", "2026-01-31T10:00:00.5+01:00", "2026-01-31t10:00:00z", "2026-01-31 10:00:00Z",
		"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b", "a@b.c", "a..b@c", "https://example.org/a?b#c", "http://[::1]/", "/rel",
		"1.2.3.4", "01.2.3.4", "host-1.example", "-host",
	})
	genNumber = rapid.SampledFrom([]string{
		"0", "-0", "1", "-1", "2", "3", "1.0", "1.5", "-1.5", "2.50", "0.1", "1e0", "1e2", "1E-1", "15e-1", "100",
		"9007199254740993", "123456789012345678", "1234567890123456789", "12345678901234567890123", "1e300", "-1e300",
		"0.10000000000000001", "0.1000000000", "2.000000000000000001", "1e-300",
	})
	genFormat = rapid.SampledFrom([]string{"date-time", "date", "uuid", "email", "uri", "ipv4", "hostname", "unheard-of"})
	genType   = rapid.SampledFrom([]string{"null", "boolean", "integer", "number", "string", "array", "object"})
)

func drawValue(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 8
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2, 3:
		return json.Number(genNumber.Draw(t, "number"))
	case 4:
		return genString.Draw(t, "string")
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			object[genName.Draw(t, "name")] = drawValue(t, depth-1)
		}
		return object
	}
}

// drawSchema draws a schema of the shape's keywords and of a few others.
func drawSchema(t *rapid.T, depth int, others bool) any {
	if rapid.IntRange(0, 11).Draw(t, "boolean schema") == 0 {
		return rapid.Bool().Draw(t, "which")
	}
	s := map[string]any{}
	sub := func() any { return drawSchema(t, depth-1, others) }
	count := func() any { return rapid.IntRange(0, 3).Draw(t, "count") }
	for range rapid.IntRange(0, 4).Draw(t, "keywords") {
		switch rapid.IntRange(0, 27).Draw(t, "keyword") {
		case 0, 1, 2:
			s["type"] = genType.Draw(t, "type")
		case 3, 4:
			s["type"] = rapid.SliceOfNDistinct(genType, 1, 3, rapid.ID[string]).Draw(t, "types")
		case 5, 6:
			if depth > 0 {
				properties := map[string]any{}
				for range rapid.IntRange(0, 4).Draw(t, "properties") {
					properties[genName.Draw(t, "property")] = sub()
				}
				s["properties"] = properties
			}
		case 7:
			s["required"] = rapid.SliceOfNDistinct(genName, 0, 3, rapid.ID[string]).Draw(t, "required")
		case 8:
			if depth > 0 {
				s["additionalProperties"] = sub()
			}
		case 9:
			if depth > 0 {
				s["items"] = sub()
			}
		case 10:
			if depth > 0 {
				s["prefixItems"] = []any{sub()}
			}
		case 11:
			list := []any{}
			for range rapid.IntRange(1, 3).Draw(t, "values") {
				list = append(list, drawValue(t, 1))
			}
			s["enum"] = list
		case 12:
			s["const"] = drawValue(t, 1)
		case 13:
			s["minLength"] = count()
		case 14:
			s["maxLength"] = count()
		case 15:
			s["minItems"] = count()
		case 16:
			s["maxItems"] = count()
		case 17:
			s["minProperties"] = count()
		case 18:
			s["maxProperties"] = count()
		case 19:
			s["minimum"] = json.Number(genNumber.Draw(t, "minimum"))
		case 20:
			s["maximum"] = json.Number(genNumber.Draw(t, "maximum"))
		case 21:
			s["exclusiveMinimum"] = json.Number(genNumber.Draw(t, "exclusiveMinimum"))
		case 22:
			s["exclusiveMaximum"] = json.Number(genNumber.Draw(t, "exclusiveMaximum"))
		case 23:
			s["format"] = genFormat.Draw(t, "format")
		case 24:
			if depth > 0 {
				s["allOf"] = []any{sub(), sub()}
			}
		case 25:
			if depth > 0 {
				s["anyOf"] = []any{sub(), sub()}
			}
		case 26:
			s["x_pdpp_role"] = "key"
			s["description"] = "text"
		case 27:
			if others && depth > 0 {
				switch rapid.IntRange(0, 4).Draw(t, "other") {
				case 0:
					s["not"] = sub()
				case 1:
					s["oneOf"] = []any{sub(), sub()}
				case 2:
					s["$ref"] = "#/$defs/x"
				case 3:
					s["pattern"] = "^a"
				case 4:
					s["uniqueItems"] = true
				}
			} else if depth > 0 {
				s["$ref"] = "#/$defs/x"
			}
		}
	}
	return s
}

// drawRoot draws a schema whose references find their target.
func drawRoot(t *rapid.T, others bool) string {
	root, ok := drawSchema(t, 3, others).(map[string]any)
	if !ok {
		root = map[string]any{}
	}
	root["$defs"] = map[string]any{"x": drawSchema(t, 2, others)}
	return mustJSON(root)
}

// hold compares both validators' answers about one pair. It reports whether the
// shape was sure.
func hold(t interface{ Fatalf(string, ...any) }, schemaText, valueText string) (sure bool) {
	s, err := Compile([]byte(schemaText), true)
	if err != nil {
		t.Fatalf("%s: got %v, want no error", schemaText, err)
	}
	var tp tape.Tape
	if err := tp.Scan([]byte(valueText)); err != nil {
		t.Fatalf("%s: tp.Scan([]byte(valueText)): got %v, want no error", valueText, err)
	}
	want := reference(t, schemaText).Validate(value(&tp, tape.Root))
	if s.Fast() {
		for range 2 { // the second time with what the first has learned
			switch v := s.run.start(&tp, s.shape, tape.Root); {
			case v == unsure:
			case (v == yes) != (want == nil):
				t.Fatalf("schema %s\nvalue %s\nshape says valid=%v, the library %v", schemaText, valueText, v == yes, want)
			default:
				sure = true
			}
		}
	}
	failure, err := s.Check(&tp, tape.Root)
	if err != nil || (failure == nil) != (want == nil) {
		t.Fatalf("schema %s\nvalue %s\nCheck says %v, %v, the library %v, want no error && (failure == nil) == (want == nil)", schemaText, valueText, failure, err, want)
	}
	return sure
}

func TestShapeAgainstLibrary(t *testing.T) {
	t.Parallel()
	var pairs, sure int
	rapid.Check(t, func(t *rapid.T) {
		text := drawRoot(t, rapid.IntRange(0, 3).Draw(t, "others") == 0)
		for range 8 {
			pairs++
			if hold(t, text, mustJSON(drawValue(t, 3))) {
				sure++
			}
		}
	})
	t.Logf("%d pairs, the shape sure of %d", pairs, sure)
}

// The same by coverage-guided fuzzing.
func FuzzShapeAgainstLibrary(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		text := drawRoot(t, false)
		hold(t, text, mustJSON(drawValue(t, 3)))
	}))
}

// Every text that a format of the shape accepts, the library accepts.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{
		"2026-01-31T10:00:00Z", "2026-01-31t10:00:00.123456789-23:59", "0000-02-29", "1900-02-29", "2000-02-29",
		"a.b+c@d-e.f", "https://a.b:80/c%20d?e=f&g#h", "http://-", "http://a:99999999", "1.2.3.4", "0.0.0.0",
		"a-b.c", "0193B3F2-7c1e-7d4a-9b1e-2f6c8a5d4e3b", "http://a.b#c#d", "http://a..b/", "x@1.2",
		"2026-12-31T23:59:60Z", "2026-01-31T10:00:00+24:00",
	} {
		f.Add(s)
	}
	library := map[string]*jsonschema.Schema{}
	for name := range formats {
		library[name] = reference(f, fmt.Sprintf(`{"format":%q}`, name))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, accepts := range formats {
			if accepts == nil || !accepts([]byte(s)) {
				continue
			}
			if err := library[name].Validate(s); err != nil {
				t.Errorf("%s: %q is accepted here, and by the library not: %v, want no error", name, s, err)
			}
		}
	})
}

// The forms that data has are accepted without the library.
func TestFormatsAcceptTheCommonForms(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]string{
		"date-time": {"2026-01-31T10:00:00Z", "2026-01-31T10:00:00.123Z", "2024-02-29T23:59:59.999999999+05:30"},
		"date":      {"2026-12-31", "2000-02-29"},
		"uuid":      {"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b", "0193B3F2-7C1E-7D4A-9B1E-2F6C8A5D4E3B"},
		"email":     {"a.b+c@mail.example.org"},
		"uri":       {"https://example.org", "http://example.org:8080/a/b%20c?x=1&y=2#z"},
		"ipv4":      {"127.0.0.1"},
		"hostname":  {"mail.example.org", "localhost"},
	} {
		for _, s := range list {
			if !formats[name]([]byte(s)) {
				t.Errorf("%s: %q goes to the library, want formats[name]([]byte(s))", name, s)
			}
		}
	}
}

// common() must know every keyword that the library knows: a new field of its
// Schema fails this test until someone has decided about it.
func TestCommonKnowsEveryKeyword(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for name := range strings.FieldsSeq(`
		DraftVersion Location Bool ID Ref Anchor RecursiveRef RecursiveAnchor DynamicRef DynamicAnchor Types Enum Const
		Not AllOf AnyOf OneOf If Then Else Format MaxProperties MinProperties Required PropertyNames Properties
		PatternProperties AdditionalProperties Dependencies DependentRequired DependentSchemas UnevaluatedProperties
		MinItems MaxItems UniqueItems Contains MinContains MaxContains Items AdditionalItems PrefixItems Items2020
		UnevaluatedItems MinLength MaxLength Pattern ContentEncoding ContentMediaType ContentSchema Maximum Minimum
		ExclusiveMaximum ExclusiveMinimum MultipleOf Extensions
		Title Description Default Comment ReadOnly WriteOnly Examples Deprecated`) {
		known[name] = true
	}
	typ := reflect.TypeFor[jsonschema.Schema]()
	for f := range typ.Fields() {
		if f.IsExported() && !known[f.Name] {
			t.Errorf("jsonschema.Schema has a field %s that the shape does not know, want !f.IsExported() || known[f.Name]", f.Name)
		}
	}
}

func TestShapeTakesTheCommonKeywordsOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"type":["string","null"],"x_pdpp_role":"key","title":"t","description":"d"}`:   true,
		`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"items":{"$ref":"#"}}}}`: true,
		`{"format":"date-time"}`:                    true,
		`{"format":"no-such-format"}`:               true,
		`{"format":"ipv6"}`:                         false,
		`{"pattern":"a"}`:                           false,
		`{"not":{}}`:                                false,
		`{"oneOf":[{}]}`:                            false,
		`{"if":{},"then":{}}`:                       false,
		`{"uniqueItems":true}`:                      false,
		`{"multipleOf":2}`:                          false,
		`{"contains":{}}`:                           false,
		`{"patternProperties":{}}`:                  false,
		`{"patternProperties":{"a":{}}}`:            false,
		`{"propertyNames":{"maxLength":1}}`:         false,
		`{"dependentRequired":{"a":["b"]}}`:         false,
		`{"unevaluatedProperties":false}`:           false,
		`{"$dynamicRef":"#a","$dynamicAnchor":"a"}`: false,
		`{"$ref":"#"}`:                              false,
		`{"allOf":[{"$ref":"#"}]}`:                  false,
	} {
		if got := compile(t, text).Fast(); got != want {
			t.Errorf("%s: shape=%v, want %v", text, got, want)
		}
	}
}
