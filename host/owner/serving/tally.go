package serving

import (
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Counts are what was run while a server served.
type Counts struct {
	Runs    int64 `json:"runs"`
	Failed  int64 `json:"failed"`  // neither succeeded nor were stopped
	Stopped int64 `json:"stopped"` // by the owner
}

// stoppedByOwner reports whether a run ended because its owner ended it.
func stoppedByOwner(status, reason string) bool {
	return status == run.StatusCancelled && reason != string(abi.ReasonConnectorReportedCancelled)
}

// tally counts runs. It is safe for concurrent use.
type tally struct {
	mu sync.Mutex
	n  Counts
}

func (t *tally) add(r *run.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n.Runs++
	switch {
	case r.Status == run.StatusSucceeded:
	case stoppedByOwner(r.Status, r.Reason):
		t.n.Stopped++
	default:
		t.n.Failed++
	}
}

func (t *tally) counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}
