package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
}

// The manifest has words for every code that the connector shows to an owner.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	trial.Worded(t, manifest,
		codeMalformed, codeRateLimited, codePaging, "github_next_refused", codeAuthFailed, "github_http_403", codeAccount,
		reasonShape, "field_type_changed", reasonPageCap, reasonHidden, reasonIncomplete,
	)
}
