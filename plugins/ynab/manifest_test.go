package main

import (
	"encoding/json"
	"testing"

	contract "github.com/pdpp-host/pdpp-host/abi/manifest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-01.1, RT-11.1: the manifest is one that the host takes.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	for _, p := range contract.Problems([]byte(manifest)) {
		t.Errorf("%s: %s", p.Path, p.Rule)
	}
}

// What the connector tells an owner by a code has words for it.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{
		codeMalformed, codeRateLimited, codeAuthFailed, codeBaseURL, codeLapsed, reasonShape, reasonOverflow, reasonKept,
	} {
		if m.ReasonMessages[code] == "" {
			t.Errorf("no words for %s", code)
		}
	}
}
