package send

import (
	"math"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CollectionRate returns the governor's rate; nil if pacing is switched off, in which
// case nothing is emitted (RT-27.2).
func (g *Governor) CollectionRate() *abi.CollectionRate {
	s := g.Snapshot()
	if s == nil {
		return nil
	}
	return &abi.CollectionRate{
		Object: "collection_rate", CurrentIntervalMS: s.IntervalMS, CeilingIntervalMS: s.MinIntervalMS,
		EffectiveRatePerMin: perMin(s.IntervalMS), CeilingRatePerMin: perMin(s.MinIntervalMS), LastBackoff: s.LastBackoff,
	}
}

func perMin(interval float64) int64 {
	if interval <= 0 {
		return 0
	}
	return int64(math.Round(perMinute / interval))
}

// CircuitProgress is a breaker's change inside a PROGRESS message (PB-D6).
type CircuitProgress struct {
	Object               string     `json:"object"`
	Circuit              Transition `json:"circuit"`
	ElapsedMS            int64      `json:"elapsed_ms"`
	RequestCount         int64      `json:"request_count"`
	RetryTokensRemaining any        `json:"retry_tokens_remaining"` // a number, or "unbounded"
}

// CircuitProgress adds the run's counters to a transition.
func (g *Governor) CircuitProgress(t Transition) CircuitProgress {
	elapsed, requests := g.deps.Run.usage(g.deps.Clock.Now())
	p := CircuitProgress{
		Object: "provider_budget_circuit_transition", Circuit: t,
		ElapsedMS: elapsed.Milliseconds(), RequestCount: requests, RetryTokensRemaining: "unbounded",
	}
	if tokens, bounded := g.deps.Retries.Remaining(); bounded {
		p.RetryTokensRemaining = tokens
	}
	return p
}
