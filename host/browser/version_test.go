package browser

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// T15: a version below the oldest one is refused, and so is what tells none.
func TestTooOld(t *testing.T) {
	t.Parallel()
	for product, refused := range map[string]bool{
		"Chrome/156.0.8078.79": false, "Chrome/120.0": false, "Chrome/119.9.9": true, "Chrome/": true, "Chrome": true, "": true, "Chrome/x.1": true,
	} {
		if err := tooOld(product); (err != nil) != refused || refused && abi.CodeOf(err) != abi.CodeBrowserTooOld {
			t.Errorf("%q: got %v, want it refused: %t", product, err, refused)
		}
	}
}
