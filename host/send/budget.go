package send

import (
	"math"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RunBudget bounds a run's requests and its time (PB-D1, PB-D7). Its unit is one
// attempt, successful or not. A nil *RunBudget is unbounded, which is the default
// (PB-A1). It is checked between fetches, answers at once and never interrupts a
// fetch. Safe for concurrent use; all governors of a run share one.
type RunBudget struct {
	mu          sync.Mutex
	maxRequests int64
	maxWall     time.Duration
	rested      func() time.Duration // see Resting; nil: it never rests
	began       time.Time            // the first check (RT-16)
	before      time.Duration        // rested when it began
	requests    int64
}

// NewRunBudget returns a budget of at most maxRequests attempts and maxWall of
// time; zero or less leaves either unbounded.
func NewRunBudget(maxRequests int64, maxWall time.Duration) *RunBudget {
	return &RunBudget{maxRequests: maxRequests, maxWall: maxWall}
}

// Resting returns the budget, whose time does not run while a run rests: rested is how
// long it has rested so far.
func (b *RunBudget) Resting(rested func() time.Duration) *RunBudget {
	b.rested = rested
	return b
}

// spent returns how much time is used up.
func (b *RunBudget) spent(now time.Time) time.Duration { return now.Sub(b.began) - b.rest() + b.before }

func (b *RunBudget) rest() time.Duration {
	if b.rested == nil {
		return 0
	}
	return b.rested()
}

// exhausted returns why no more requests may be sent; "" if one may. The first call
// starts the clock.
func (b *RunBudget) exhausted(now time.Time) abi.Reason {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check(now)
}

// charge counts one attempt, or returns why it may not be made: the preceding wait may
// have used up the time, and another request the last attempt.
func (b *RunBudget) charge(now time.Time) abi.Reason {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	reason := b.check(now)
	if reason == "" {
		b.requests++
	}
	return reason
}

func (b *RunBudget) check(now time.Time) abi.Reason {
	if b.began.IsZero() {
		b.began, b.before = now, b.rest()
	}
	switch {
	case b.maxRequests > 0 && b.requests >= b.maxRequests:
		return abi.ReasonRequestCapReached
	case b.maxWall > 0 && b.spent(now) >= b.maxWall:
		return abi.ReasonWallClockDeadline
	}
	return ""
}

// remaining returns the run's remaining time, and whether it is bounded.
func (b *RunBudget) remaining(now time.Time) (time.Duration, bool) {
	if b == nil || b.maxWall <= 0 {
		return 0, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.began.IsZero() {
		return b.maxWall, true
	}
	return max(0, b.maxWall-b.spent(now)), true
}

// usage returns the time since the first check and the attempts so far.
func (b *RunBudget) usage(now time.Time) (time.Duration, int64) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.began.IsZero() {
		return 0, b.requests
	}
	return now.Sub(b.began), b.requests
}

// retryShare is the largest share of retries in a run's requests (PB-D5).
const retryShare = 0.2

// RetryBudget bounds a run's retries by a bucket of tokens that successes refill
// (PB-D5, RT-22). A nil *RetryBudget is unbounded. Safe for concurrent use; all
// governors of a run share one.
type RetryBudget struct {
	mu                        sync.Mutex
	capacity, tokens, deposit float64
}

// NewRetryBudget returns a full bucket of capacity tokens. Every success adds deposit
// tokens. NaN and negative arguments count as zero.
func NewRetryBudget(capacity, deposit float64) *RetryBudget {
	capacity, deposit = notNegative(capacity), notNegative(deposit)
	return &RetryBudget{capacity: capacity, tokens: capacity, deposit: deposit}
}

// RetryBudgetFor returns the bucket of a run with at most maxRequests attempts: a
// fifth of them, and a fifth of a token for each success. A run without a cap gets
// nil, so only the attempts of each request bound its retries (RT-22.2).
func RetryBudgetFor(maxRequests int64) *RetryBudget {
	if maxRequests <= 0 {
		return nil
	}
	return NewRetryBudget(max(1, math.Ceil(float64(maxRequests)*retryShare)), retryShare)
}

func notNegative(f float64) float64 {
	if f > 0 {
		return f
	}
	return 0
}

// consume takes one token, and reports whether there was one.
func (b *RetryBudget) consume() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	// Five deposits of a fifth do not add up to exactly 1.
	if b.tokens < 1-1e-9 {
		return false
	}
	b.tokens = max(0, b.tokens-1)
	return true
}

func (b *RetryBudget) success() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.capacity, b.tokens+b.deposit)
}

// Remaining returns the remaining tokens, and false if the budget is unbounded.
func (b *RetryBudget) Remaining() (float64, bool) {
	if b == nil {
		return 0, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens, true
}
