package collector

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/host/collector/completeness"
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
