package boundary

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestEnumerationMessages(t *testing.T) {
	t.Parallel()
	g, err := New(&abi.Manifest{Streams: []abi.Stream{
		{Name: "notes", Semantics: abi.SemanticsMutable, PrimaryKey: []string{"id"}, Schema: abi.Raw(`{"type":"object"}`)},
		{Name: "log", Semantics: abi.SemanticsAppendOnly, PrimaryKey: []string{"id"}, Schema: abi.Raw(`{"type":"object"}`)},
		{Name: "tags", Semantics: abi.SemanticsMutable, PrimaryKey: []string{"id"}, Schema: abi.Raw(`{"type":"object"}`)},
	}}, abi.Scope{Streams: []abi.StreamScope{{Name: "notes"}, {Name: "log"}}})
	if err != nil {
		t.Fatal(err)
	}
	const open = `{"type":"ENUMERATION","stream":"notes","status":"open"`
	long := strings.Repeat("é", abi.MaxPartBytes/2)
	for _, tc := range []struct {
		payload string
		code    abi.Code // "": accepted
	}{
		{open + `}`, ""},
		{open + `,"part":null,"begun_by":"run_1"}`, ""},
		{open + `,"part":"` + long + `"}`, ""},
		{`{"type":"ENUMERATION","stream":"notes","status":"met","keys":["a","b"]}`, ""},
		{`{"type":"ENUMERATION","stream":"notes","status":"met","keys":["a",["b","c"]]}`, abi.CodeKeyInvalid},
		{`{"type":"ENUMERATION","stream":"notes","part":"p","status":"whole"}`, ""},
		{open + `,"part":"` + long + `x"}`, abi.CodeEnumerationInvalid},
		{open + `,"part":"a\u0000"}`, abi.CodeEnumerationInvalid},
		{open + `,"part":7}`, abi.CodeEnumerationInvalid},
		{open + `,"keys":["a"]}`, abi.CodeEnumerationInvalid},
		{open + `,"other":1}`, abi.CodeEnumerationInvalid},
		{`{"type":"ENUMERATION","stream":"notes","status":"met"}`, abi.CodeEnumerationInvalid},
		{`{"type":"ENUMERATION","stream":"notes","status":"met","keys":[""]}`, abi.CodeEnumerationInvalid},
		{`{"type":"ENUMERATION","stream":"notes","status":"whole","begun_by":"r"}`, abi.CodeEnumerationInvalid},
		{`{"type":"ENUMERATION","stream":"notes","status":"closed"}`, abi.CodeEnumerationInvalid},
		{`{"type":"ENUMERATION","stream":"tags","status":"open"}`, abi.CodeStreamOutOfScope},
		{`{"type":"ENUMERATION","stream":"log","status":"open"}`, abi.CodeDeleteOnAppendOnly}, // RT-07.2
		{`{"type":"STATE","stream":"notes","status":"open"}`, abi.CodeMessageType},
	} {
		if _, err := g.Enumeration([]byte(tc.payload)); (err == nil) != (tc.code == "") || err != nil && abi.CodeOf(err) != tc.code {
			t.Errorf("%.100s: got %v, want %q", tc.payload, err, tc.code)
		}
	}
	for payload, code := range map[string]abi.Code{
		`{"stream":"notes"}`:                        "",
		`{"stream":"notes","part":"p","after":"k"}`: "",
		`{"part":"p"}`:                              abi.CodeEnumerationInvalid,
		`{"stream":"notes","after":"\u0000"}`:       abi.CodeEnumerationInvalid,
		`{"stream":"tags"}`:                         abi.CodeStreamOutOfScope,
		`{"stream":"log"}`:                          abi.CodeDeleteOnAppendOnly,
		`[]`:                                        abi.CodeEnvelope,
		`{`:                                         abi.CodeSyntax,
	} {
		if _, err := g.Missing([]byte(payload)); (err == nil) != (code == "") || err != nil && abi.CodeOf(err) != code {
			t.Errorf("%s: got %v, want %q", payload, err, code)
		}
	}
}
