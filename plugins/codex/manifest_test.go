package main

import (
	"testing"

	contract "github.com/pdpp-host/pdpp-host/abi/manifest"
)

// RT-01.1, RT-11.1: the manifest is one that the host takes.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	for _, p := range contract.Problems([]byte(manifest)) {
		t.Errorf("%s: %s", p.Path, p.Rule)
	}
}
