package abi_test

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestRootName(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"Claude Code projects": "claude_code_projects", "state DB (v5)": "state_db_v5", "  a  ": "a", "éa-": "a", "": "", "東京": "", "../..": "",
	} {
		if got := (abi.LocalPath{Label: label}).RootName(); got != want {
			t.Errorf("RootName(%q) = %q, want %q", label, got, want)
		}
	}
	if got := (abi.LocalPath{Name: "db", Label: "State"}).RootName(); got != "db" {
		t.Errorf(`the name does not win: %q, want "db"`, got)
	}
}

func TestStreamLookups(t *testing.T) {
	t.Parallel()
	m := abi.Manifest{Streams: []abi.Stream{
		{Name: "a", Semantics: "append"}, {Name: "b", Semantics: "append_only", StateStream: "a"},
		{Name: "c", Semantics: "mutable_state", ParentStreams: []string{"a", "b"}, CoveragePolicy: "deferred"},
	}}
	if m.Stream("x") != nil || m.Stream("b") != &m.Streams[1] {
		t.Error("Stream finds the wrong one")
	}
	// RT-07.2: both spellings of append-only count as it.
	if !m.Streams[0].AppendOnly() || !m.Streams[1].AppendOnly() || m.Streams[2].AppendOnly() {
		t.Error("AppendOnly")
	}
	for i, want := range [][]string{{"a"}, {"a"}, {"a", "b"}} {
		if got := m.Streams[i].Parents(); !slices.Equal(got, want) {
			t.Errorf("parents of %s = %v, want slices.Equal(got, want)", m.Streams[i].Name, got)
		}
	}
	if m.Streams[0].Policy() != "collect" || m.Streams[2].Policy() != "deferred" {
		t.Error("Policy")
	}
}

func TestDeclares(t *testing.T) {
	t.Parallel()
	var m abi.Manifest
	if declared, _ := m.Declares("browser"); declared {
		t.Error("a binding that nobody declared")
	}
	m.Requirements.Bindings = map[string]abi.Binding{"browser_automation": {Required: true}, "network": {}}
	if declared, required := m.Declares("browser"); !declared || !required {
		t.Error("the draft's spelling of browser is not known")
	}
	if declared, required := m.Declares("network"); !declared || required {
		t.Error("network")
	}
}

func TestRawIsItsOwnText(t *testing.T) {
	t.Parallel()
	b := []byte(`{"a":1}`)
	var r abi.Raw
	if err := r.UnmarshalJSON(b); err != nil {
		t.Fatal(err)
	}
	b[2] = 'z'
	if got, err := r.MarshalJSON(); err != nil || string(got) != `{"a":1}` {
		t.Errorf("got %s, %v, want no error && string(got) == `{\"a\":1}`", got, err)
	}
	if got, err := abi.Raw(nil).MarshalJSON(); err != nil || string(got) != "null" {
		t.Errorf(`got %s, %v, want no error && string(got) == "null"`, got, err)
	}
}
