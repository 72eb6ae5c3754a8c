package send

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// What the breaker does unless the profile says otherwise.
const (
	defaultBreakerWindow  = 10
	defaultMinThroughput  = 5
	defaultFailureRatio   = 0.5
	defaultBreakerResetMS = 60 * 1000
)

// CircuitState is a state of the circuit breaker.
type CircuitState string

// The states.
const (
	CircuitClosed   CircuitState = "closed"
	CircuitOpen     CircuitState = "open"
	CircuitHalfOpen CircuitState = "half_open"
)

func breakerDefaults(b *abi.ProviderBreaker) {
	orDefault(&b.Window, defaultBreakerWindow)
	orDefault(&b.MinThroughput, defaultMinThroughput)
	orDefault(&b.FailureRatio, defaultFailureRatio)
	orDefault(&b.ResetMS, defaultBreakerResetMS)
	b.Window = max(b.Window, b.MinThroughput)
}

// Transition is one change of a circuit breaker: evidence for the health views
// (PB-D6, PB-A9). It names no route, no record and no body.
type Transition struct {
	PreviousState CircuitState `json:"previous_state"`
	State         CircuitState `json:"state"`
	Trigger       string       `json:"trigger"` // before_request, provider_failure, provider_throttle, success
	Reason        string       `json:"reason"`  // reset_timeout, provider_failure, provider_throttle, success
}

// outcome is how one attempt ended, as the pacing sees it, and the last of a
// request, as the breaker does.
type outcome int

const (
	outcomeSuccess outcome = iota
	outcomeNeutral         // an answer that says nothing of the provider's health: other 4xx
	outcomeFailure
	outcomeThrottle
	outcomeUnknown // cancelled before there was one
)

// breaker fails fast while a provider is known to be unwell. It answers at once
// and never waits (RT-20). A request counts once, by how it ended, however often
// it was sent. Not safe for concurrent use.
type breaker struct {
	profile  abi.ProviderBreaker
	state    CircuitState
	failed   []bool // a ring of the last outcomes
	next     int
	openedAt time.Time
	probing  bool          // the one probe of half_open is under way
	settled  chan struct{} // closed once it is not any more
	era      int           // counts the changes: outcomes of an earlier era are not looked at
}

func newBreaker(p abi.ProviderBreaker) breaker { return breaker{profile: p, state: CircuitClosed} }

// delay returns how long the circuit lets no request through, and whether that
// depends on the probe that is under way.
func (b *breaker) delay(now time.Time) (wait time.Duration, probed bool) {
	if b.state == CircuitOpen {
		wait = b.opensAt().Sub(now)
	}
	return max(wait, 0), b.probing
}

// admit takes a request that delay lets through. It returns in which era the
// request goes, and the change that this made: the request is then the probe.
func (b *breaker) admit() (era int, change *Transition) {
	if b.state == CircuitOpen {
		change = b.move(CircuitHalfOpen, "before_request", "reset_timeout")
	}
	if b.state == CircuitHalfOpen {
		b.probing, b.settled = true, make(chan struct{})
	}
	return b.era, change
}

// opensAt is when an open circuit lets a probe through.
func (b *breaker) opensAt() time.Time { return b.openedAt.Add(ms(b.profile.ResetMS)) }

// record takes the outcome of a request that was admitted in era. What was sent
// before the circuit changed says nothing of the provider since, and is
// ignored.
func (b *breaker) record(now time.Time, era int, o outcome) *Transition {
	if b.profile.Disabled || era != b.era {
		return nil
	}
	failed := o == outcomeFailure || o == outcomeThrottle
	trigger := "success"
	switch o {
	case outcomeFailure:
		trigger = "provider_failure"
	case outcomeThrottle:
		trigger = "provider_throttle"
	}
	if b.state == CircuitHalfOpen {
		switch {
		case o == outcomeUnknown:
			b.settle()
			return nil
		case failed:
			b.openedAt = now
			return b.move(CircuitOpen, trigger, trigger)
		}
		b.failed, b.next = b.failed[:0], 0
		return b.move(CircuitClosed, trigger, trigger)
	}
	if o == outcomeUnknown {
		return nil
	}
	b.count(failed)
	if failed && b.shouldOpen() {
		b.openedAt = now
		return b.move(CircuitOpen, trigger, trigger)
	}
	return nil
}

func (b *breaker) count(failed bool) {
	if len(b.failed) < b.profile.Window {
		b.failed = append(b.failed, failed)
		return
	}
	b.failed[b.next] = failed
	b.next = (b.next + 1) % len(b.failed)
}

func (b *breaker) shouldOpen() bool {
	if len(b.failed) < b.profile.MinThroughput {
		return false
	}
	failures := 0
	for _, f := range b.failed {
		if f {
			failures++
		}
	}
	return float64(failures) >= b.profile.FailureRatio*float64(len(b.failed))
}

func (b *breaker) move(to CircuitState, trigger, reason string) *Transition {
	t := &Transition{PreviousState: b.state, State: to, Trigger: trigger, Reason: reason}
	b.state = to
	b.era++
	b.settle()
	return t
}

// settle ends the wait for a probe.
func (b *breaker) settle() {
	if b.probing {
		b.probing = false
		close(b.settled)
	}
}
