package abi_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestConnectorKeysAreComparedInOneForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"claude-code", "claude_code", true},
		{"Claude-Code", "claude_code", true},
		{"CODEX", "codex", true},
		{"claude-code", "claudecode", false},
		{"a.b", "a_b", false},
		{"https://registry.pdpp.dev/connectors/apple-health", "apple_health", true},
		{"https://github.com/pdpp-host/pdpp-host/connectors/spotify", "https://registry.pdpp.dev/connectors/spotify", true},
		{"https://elsewhere.example/connectors/spotify", "spotify", false},
		{"https://registry.pdpp.dev/connectors/a/spotify", "spotify", false},
		{"https://registry.pdpp.dev/connectors/", "", false},
		{"https://registry.pdpp.dev/connectors/spotify.wasm", "spotify.wasm", false},
		{"https://github.com/pdpp-host/pdpp-host/connectors/.wasm", ".wasm", false},
	} {
		if got := abi.SameConnector(c.a, c.b); got != c.want {
			t.Errorf("%q and %q are the same connector: %t, want %t", c.a, c.b, got, c.want)
		}
	}
}
