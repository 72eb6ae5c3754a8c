package collector

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/completeness"
	"github.com/pdpp-host/pdpp-host/host/collector/delivery"
	"github.com/pdpp-host/pdpp-host/storage"
)

// LC-05.2: what a connector says of stores that it does not read is information. A
// run has gaps when it, or a record of it, says so.
func TestStoresAreNoGaps(t *testing.T) {
	t.Parallel()
	r := &RunResult{Completeness: &completeness.Report{UnaccountedStores: []string{"x"}}}
	if got := outcomeOf(&ending{counts: &storage.OutboxCounts{}}, r); got != OutcomeComplete {
		t.Errorf("stores that are not accounted for: %s", got)
	}
	if got := outcomeOf(&ending{counts: &storage.OutboxCounts{GapsOpen: 1}}, r); got != OutcomeGaps {
		t.Errorf("an open gap: %s", got)
	}
}

// An execution tells what the host refused, although it delivered the rest.
func TestARefusalIsNoSuccess(t *testing.T) {
	t.Parallel()
	for code, want := range map[abi.Code]bool{client.CodeRefused: true, client.CodeUnreachable: false} {
		r := &RunResult{Outcome: OutcomeBacklog, Delivery: &Problem{Code: string(code)}, Delivered: delivery.Delivered{Acknowledged: 3}}
		if got := r.Undelivered() != nil; got != want {
			t.Errorf("%s with the rest delivered: got undelivered %t, want %t", code, got, want)
		}
	}
}
