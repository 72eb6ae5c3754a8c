package replay

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// However a guest spells its request, the host reads it, and what it types stays out of a recording.
func TestTypedIsHowever(t *testing.T) {
	t.Parallel()
	if got := string(withoutTyped(abi.OpBrowser, []byte(`{"do":"\u0066ill","value":"canary"}`))); strings.Contains(got, "canary") {
		t.Errorf("got %s, want no canary", got)
	}
}
