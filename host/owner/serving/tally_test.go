package serving

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// A run that its owner stopped needs no attention.
func TestTally(t *testing.T) {
	t.Parallel()
	var served tally
	for _, r := range []run.Result{
		{Status: run.StatusSucceeded}, {Status: run.StatusFailed},
		{Status: run.StatusCancelled, Reason: string(abi.ReasonOwnerCancelled)},
		{Status: run.StatusCancelled, Reason: string(abi.ReasonConnectorReportedCancelled)},
	} {
		served.add(&r)
	}
	if got, want := served.counts(), (Counts{Runs: 4, Failed: 2, Stopped: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
