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

// tally counts runs and what they store. It is safe for concurrent use.
type tally struct {
	mu       sync.Mutex
	n        Counts
	outcomes map[string]int64
	stored   [2]run.StreamUpdate // of streams that only grow, and of the others
	passes   int64
}

// OutcomeRefused is the outcome of a run that did not begin.
const OutcomeRefused = "refused"

func (t *tally) add(r *run.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n.Runs++
	t.count(r.Status)
	switch {
	case r.Status == run.StatusSucceeded:
	case stoppedByOwner(r.Status, r.Reason):
		t.n.Stopped++
	default:
		t.n.Failed++
	}
}

// count counts one outcome. The caller holds t.mu.
func (t *tally) count(outcome string) {
	if t.outcomes == nil {
		t.outcomes = map[string]int64{}
	}
	t.outcomes[outcome]++
}

// refused counts a run that did not begin.
func (t *tally) refused() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(OutcomeRefused)
}

func (t *tally) passed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passes++
}

// store counts what a run has stored since it was last looked at; nil: it was not.
func (t *tally) store(before, now *run.Update) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range now.Streams {
		s := &now.Streams[i]
		to := &t.stored[1]
		if s.AppendOnly {
			to = &t.stored[0]
		}
		if before != nil && i < len(before.Streams) {
			b := &before.Streams[i]
			to.Add(b.Counts, -1)
			to.Rejected -= b.Rejected
		}
		to.Add(s.Counts, 1)
		to.Rejected += s.Rejected
	}
}

func (t *tally) counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}
