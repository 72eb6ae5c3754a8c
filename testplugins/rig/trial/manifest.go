package trial

import (
	"encoding/json"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	contract "github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Valid checks that the host accepts a manifest.
func Valid(t *testing.T, manifest string) {
	t.Helper()
	for _, p := range contract.Problems([]byte(manifest)) {
		t.Errorf("%s: %s", p.Path, p.Rule)
	}
}

// Worded checks that a manifest has words for the codes that a connector shows to an
// owner.
func Worded(t *testing.T, manifest string, codes ...string) {
	t.Helper()
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	for _, code := range codes {
		if m.ReasonMessages[code] == "" {
			t.Errorf("no words for %s, want m.ReasonMessages[code] not \"\"", code)
		}
	}
}
