package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-12: the connector asks the version of March 2026, also when GitHub takes the one before no
// longer.
func TestVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(3))
	w.p = github.New(github.Options{Token: trial.Token, Now: w.Now, Origin: defaultBase, Sunset: true}, small(3))
	res := w.OK(w.run())
	for _, stream := range []string{streamRepositories, streamStarred, streamIssues, streamPulls, streamGists} {
		if got := len(res.Records(stream)); got < 3 {
			t.Errorf("%d records of %s, want 3 or more", got, stream)
		}
	}
}
