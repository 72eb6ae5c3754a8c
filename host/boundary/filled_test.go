package boundary

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Filled names the members of a record that are not null, and none of a tombstone.
func TestFilled(t *testing.T) {
	t.Parallel()
	g, err := New(&abi.Manifest{Streams: []abi.Stream{{Name: "notes", PrimaryKey: []string{"id"}, Semantics: abi.SemanticsMutable, Schema: abi.Raw(`{"type":"object"}`)}}},
		abi.Scope{Streams: []abi.StreamScope{{Name: "notes"}}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]string{
		`{"type":"RECORD","stream":"notes","key":"a","data":{"id":"a","n":null,"deep":{"n":null,"x":[null]},"e\u0301":"","no":false,"zero":0},"emitted_at":"2026-01-01T00:00:00Z"}`: {"id", "deep", "e\u0301", "no", "zero"},
		`{"type":"RECORD","stream":"notes","key":"a","op":"delete"}`: nil,
	} {
		var names []string
		err := g.Records([]byte(line), func(*Record) error {
			g.Filled(func(name []byte) { names = append(names, string(name)) })
			return nil
		})
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: got %q, %v, want %q", line, names, err, want)
		}
	}
}
