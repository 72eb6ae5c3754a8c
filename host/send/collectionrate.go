package send

import "math"

// CollectionRate is the live rate as it rides a PROGRESS (RT-27). It has room
// for rates and nothing else: no account, route or content.
type CollectionRate struct {
	Object              string   `json:"object"`
	CurrentIntervalMS   float64  `json:"current_interval_ms"`
	CeilingIntervalMS   float64  `json:"ceiling_interval_ms"`
	EffectiveRatePerMin int64    `json:"effective_rate_per_min"`
	CeilingRatePerMin   int64    `json:"ceiling_rate_per_min"`
	LastBackoff         *Backoff `json:"last_backoff"`
}

// CollectionRate returns the governor's rate; nil when pacing is switched off,
// and then nothing is to be emitted (RT-27.2).
func (g *Governor) CollectionRate() *CollectionRate {
	s := g.Snapshot()
	if s == nil {
		return nil
	}
	return &CollectionRate{
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

// CircuitProgress is a breaker's change as it rides a PROGRESS (PB-D6).
type CircuitProgress struct {
	Object               string     `json:"object"`
	Circuit              Transition `json:"circuit"`
	ElapsedMS            int64      `json:"elapsed_ms"`
	RequestCount         int64      `json:"request_count"`
	RetryTokensRemaining any        `json:"retry_tokens_remaining"` // a number, or "unbounded"
}

// CircuitProgress gives a transition the run's counters.
func (g *Governor) CircuitProgress(t Transition) CircuitProgress {
	elapsed, requests := g.deps.Run.spent(g.deps.Clock.Now())
	p := CircuitProgress{
		Object: "provider_budget_circuit_transition", Circuit: t,
		ElapsedMS: elapsed.Milliseconds(), RequestCount: requests, RetryTokensRemaining: "unbounded",
	}
	if tokens, bounded := g.deps.Retries.Remaining(); bounded {
		p.RetryTokensRemaining = tokens
	}
	return p
}
