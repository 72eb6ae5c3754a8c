package dev

import (
	"context"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// An author who ends a build is not told that the module does not build.
func TestBuildIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := build(ctx, t.TempDir(), "out.wasm", false)
	if got, want := abi.CodeOf(err), abi.CodeInterrupted; got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}
