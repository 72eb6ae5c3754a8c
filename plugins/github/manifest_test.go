package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the manifest is one that the host takes.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
}

// What the connector tells an owner by a code has words for it.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	trial.Worded(t, manifest,
		codeMalformed, codeRateLimited, codePaging, codeAuthFailed, codeForbidden, codeBaseURL, codeAccount,
		reasonShape, reasonPageCap, reasonHidden, reasonOverflow, reasonIncomplete,
	)
}
