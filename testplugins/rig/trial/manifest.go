package trial

import (
	"encoding/json"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	contract "github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Valid holds that a manifest is one that the host takes.
func Valid(t *testing.T, manifest string) {
	t.Helper()
	for _, p := range contract.Problems([]byte(manifest)) {
		t.Errorf("%s: %s", p.Path, p.Rule)
	}
}

// Worded holds that what a connector tells an owner by a code has words for it
// in its manifest.
func Worded(t *testing.T, manifest string, codes ...string) {
	t.Helper()
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	for _, code := range codes {
		if m.ReasonMessages[code] == "" {
			t.Errorf("no words for %s", code)
		}
	}
}
