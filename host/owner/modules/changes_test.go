package modules

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A module that goes by another name is shown as one.
func TestAnotherNameIsAChange(t *testing.T) {
	t.Parallel()
	old, now := &abi.Manifest{DisplayName: "Shop", Version: "1"}, &abi.Manifest{DisplayName: "Bank", Version: "1"}
	if got, want := Changes(old, now), []Change{{"name", "Shop", "Bank"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Changes(old, old); len(got) > 0 {
		t.Errorf("got %v of one module, want no change", got)
	}
}
