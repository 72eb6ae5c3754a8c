package boundary

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-05.1: a key outside the resources ends the run, and the error names the
// stream and the key.
func TestResources_RT05_1(t *testing.T) {
	t.Parallel()
	s := allStreams()
	s.Streams[1].Resources = []string{`[ "a" , "b\u002fc" ]`}
	s.Streams[3].Resources = []string{"a", "é"}
	g := gate(t, s)
	for _, ok := range []string{
		record("log", `"a"`, `{"id":"a"}`), record("log", `"\u00e9"`, `{"id":"é"}`),
		record("tops", `["a","b/c"]`, `{"id":"a","range":"b/c"}`), // array keys compare as JSON text
	} {
		if _, err := records(g, ok); err != nil {
			t.Errorf("%s: got %v, want no error", ok, err)
		}
	}
	for payload, names := range map[string][]string{
		record("log", `"b"`, `{"id":"b"}`):                                {`"log"`, `"b"`},
		record("log", `"A"`, `{"id":"A"}`):                                {`"log"`, `"A"`},
		record("tops", `["a","d"]`, `{"id":"a","range":"d"}`):             {`"tops"`, `[\"a\",\"d\"]`},
		record("log", `"two\nlines"`, `{"id":"two\nlines"}`):              {`"log"`, `"two\nlines"`},
		`{"type":"RECORD","stream":"tops","key":["x","y"],"op":"delete"}`: {`"tops"`, `[\"x\",\"y\"]`},
	} {
		_, err := records(g, payload)
		if codeOf(t, err) != abi.CodeKeyOutsideResource {
			t.Errorf("%s: codeOf(t, err): got %v, want %v", payload, err, abi.CodeKeyOutsideResource)
			continue
		}
		for _, name := range names {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%v does not name %s, want strings.Contains(err.Error(), name)", err, name)
			}
		}
	}
}

// RT-05.2: without resources, or with an empty set, nothing is filtered.
func TestResources_RT05_2(t *testing.T) {
	t.Parallel()
	s := allStreams()
	s.Streams[3].Resources = []string{}
	if _, err := records(gate(t, s), record("log", `"any"`, `{"id":"any"}`)); err != nil {
		t.Error(err)
	}
}

// RT-05 speaks of the key alone. A record whose resource_field is in the set
// passes only on the manifest's opt-in, and never a deletion.
func TestResourceFieldIsOptIn(t *testing.T) {
	t.Parallel()
	s := allStreams()
	s.Streams[0].Resources = []string{"9b1e2f6c-8a5d-4e3b-8c1d-7e6f5a4b3c2d"}
	s.Streams[4].Resources = []string{"C1", "7"}
	for payload, code := range map[string]abi.Code{
		record("posts", `"p"`, `{"id":"p","channel_id":"C1"}`):                                                                          "",
		record("posts", `"p"`, `{"id":"p","channel_id":7}`):                                                                             "",
		record("posts", `"C1"`, `{"id":"C1"}`):                                                                                          "",
		record("posts", `"p"`, `{"id":"p","channel_id":"C2"}`):                                                                          abi.CodeKeyOutsideResource,
		record("posts", `"p"`, `{"id":"p"}`):                                                                                            abi.CodeKeyOutsideResource,
		record("posts", `"p"`, `{"id":"p","channel_id":["C1"]}`):                                                                        abi.CodeKeyOutsideResource,
		`{"type":"RECORD","stream":"posts","key":"p","op":"delete","data":{"channel_id":"C1"}}`:                                         abi.CodeKeyOutsideResource,
		record("messages", `"m"`, `{"id":"m","":"9b1e2f6c-8a5d-4e3b-8c1d-7e6f5a4b3c2d"}`):                                               abi.CodeKeyOutsideResource,
		record("messages", `"m"`, `{"id":"m","created_at":"2026-01-31T10:00:00Z","session_id":"9b1e2f6c-8a5d-4e3b-8c1d-7e6f5a4b3c2d"}`): abi.CodeKeyOutsideResource,
	} {
		if _, err := records(gate(t, s), payload); codeOf(t, err) != code {
			t.Errorf("%s: %v, want %q", payload, err, code)
		}
	}
}

func TestTimeRange(t *testing.T) {
	t.Parallel()
	s := allStreams()
	s.Streams[0].TimeRange = &abi.TimeRange{Since: "2026-01-01T00:00:00Z", Until: "2026-02-01T00:00:00+01:00"}
	for value, ok := range map[string]bool{
		`"2026-01-01T00:00:00Z"`: true, `"2025-12-31T23:59:59.999999999Z"`: false,
		`"2026-01-31T22:59:59.999Z"`: true, `"2026-01-31T23:00:00Z"`: false, // until is outside
		`"2026-01-01T00:30:00+01:00"`: false, `"2025-12-31T23:30:00-01:00"`: true,
		`"2026-01-01"`: true, `"2025-12-31"`: false,
		`"\u0032026-01-10T00:00:00Z"`: true,
		`"2026-01-10 00:00:00Z"`:      false, `"2026-01-10T00:00:00"`: false, `"soon"`: false, `""`: false,
		`1767225600`: false, `null`: false, `"2026-02-30T00:00:00Z"`: false,
	} {
		_, err := records(gate(t, s), record("messages", `"a"`, `{"id":"a","created_at":`+value+`}`))
		if (err == nil) != ok || err != nil && codeOf(t, err) != abi.CodeOutsideTimeRange {
			t.Errorf("%s: %v, want ok=%v", value, err, ok)
		}
	}
	if _, err := records(gate(t, s), record("messages", `"a"`, `{"id":"a"}`)); codeOf(t, err) != abi.CodeOutsideTimeRange {
		t.Errorf("without the field: %v, want %v", err, abi.CodeOutsideTimeRange)
	}
	if _, err := records(gate(t, s), `{"type":"RECORD","stream":"messages","key":"a","op":"delete"}`); err != nil {
		t.Errorf("deletion: %v, want no error", err)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	s := allStreams()
	s.Streams[0].Fields = []string{"model"}
	for data, code := range map[string]abi.Code{
		`{"id":"a","created_at":"2026-01-31T10:00:00Z"}`:                  "", // key and required are always in
		`{"id":"a","created_at":"2026-01-31T10:00:00Z","mod\u0065l":"m"}`: "",
		`{"id":"a","created_at":"2026-01-31T10:00:00Z","kind":"k"}`:       abi.CodeFieldOutOfScope,
	} {
		_, err := records(gate(t, s), record("messages", `"a"`, data))
		if codeOf(t, err) != code {
			t.Errorf("%s: %v, want %q", data, err, code)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	broken := manifest()
	broken.Streams[0].Schema = abi.Raw(`{"type":"strin"}`)
	ranged := func(index int, since string) abi.Scope {
		s := allStreams()
		s.Streams[index].TimeRange = &abi.TimeRange{Since: since}
		return s
	}
	for _, c := range []struct {
		name  string
		m     *abi.Manifest
		scope abi.Scope
		code  abi.Code
	}{
		{"unknown stream", manifest(), scope("nowhere"), abi.CodeStreamUnknown},
		{"broken schema", broken, allStreams(), abi.CodeManifestInvalid},
		{"time range without a field", manifest(), ranged(3, "2026-01-01T00:00:00Z"), abi.CodeUsage},
		{"bad time range", manifest(), ranged(0, "yesterday"), abi.CodeUsage},
		{"empty time range", manifest(), ranged(3, ""), ""},
	} {
		if _, err := New(c.m, c.scope); codeOf(t, err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
	}
}

func TestCheckSchemas(t *testing.T) {
	t.Parallel()
	if err := CheckSchemas(manifest()); err != nil {
		t.Error(err)
	}
	m := manifest()
	m.Streams[0].Schema = abi.Raw(`{"properties":{"id":{"type":"strin"}}}`)
	m.Streams[2].Schema = nil
	m.Streams[3].Schema = abi.Raw(`{"$ref":"https://example.org/schema.json"}`)
	err := CheckSchemas(m)
	if codeOf(t, err) != abi.CodeManifestInvalid {
		t.Fatalf("got %+v, want codeOf(t, err) == abi.CodeManifestInvalid", err)
	}
	for _, want := range []string{"streams[0].schema/properties/id/type: ", "streams[2].schema: is missing", "streams[3].schema: refers to another document"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q, want strings.Contains(err.Error(), want)", err, want)
		}
	}
	m = manifest()
	large := abi.Raw(`{"enum":[` + strings.Repeat(`"a",`, 8000) + `"b"]}`)
	for range 12 {
		m.Streams = append(m.Streams, abi.Stream{Name: "x", Schema: large})
	}
	if err := CheckSchemas(m); codeOf(t, err) != abi.CodeManifestInvalid {
		t.Errorf("schemas without end: %v, want %v", err, abi.CodeManifestInvalid)
	}
}
