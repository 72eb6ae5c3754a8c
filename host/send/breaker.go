package send

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Defaults of the breaker's profile.
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

// Transition is one change of a circuit breaker: evidence for the health views (PB-D6,
// PB-A9). It contains no route, record or body.
type Transition struct {
	PreviousState CircuitState `json:"previous_state"`
	State         CircuitState `json:"state"`
	Trigger       string       `json:"trigger"` // before_request, provider_failure, provider_throttle, success
	Reason        string       `json:"reason"`  // reset_timeout, provider_failure, provider_throttle, success
}

// outcome is the result of one attempt for the pacing, and of a request's last attempt
// for the breaker.
type outcome int

const (
	outcomeSuccess outcome = iota
	outcomeNeutral         // an answer without information about the provider's health: other 4xx
	outcomeFailure
	outcomeThrottle
	outcomeUnknown // cancelled before there was a result
)

// breaker fails fast while a provider is known to be unhealthy. It answers at once and
// never waits (RT-20). A request counts once, by its final result, however often it
// was sent. Not safe for concurrent use.
type breaker struct {
	profile  abi.ProviderBreaker
	state    CircuitState
	failed   []bool // a ring of the last outcomes
	next     int
	openedAt time.Time
	probing  bool          // the one probe of half_open is in progress
	settled  chan struct{} // closed when that probe ends
	era      int           // number of changes so far; outcomes of an earlier era are ignored
}

func newBreaker(p abi.ProviderBreaker) breaker { return breaker{profile: p, state: CircuitClosed} }

// delay returns for how long the circuit lets no request through, and whether that
// depends on a probe in progress.
func (b *breaker) delay(now time.Time) (wait time.Duration, probed bool) {
	if b.state == CircuitOpen {
		wait = b.opensAt().Sub(now)
	}
	return max(wait, 0), b.probing
}

// admit registers a request that delay lets through. It returns the request's era, and
// the state change if the request is the probe.
func (b *breaker) admit() (era int, change *Transition) {
	if b.state == CircuitOpen {
		change = b.move(CircuitHalfOpen, "before_request", "reset_timeout")
	}
	if b.state == CircuitHalfOpen {
		b.probing, b.settled = true, make(chan struct{})
	}
	return b.era, change
}

// opensAt returns the time at which an open circuit lets a probe through.
func (b *breaker) opensAt() time.Time { return b.openedAt.Add(ms(b.profile.ResetMS)) }

// record counts the outcome of a request that was admitted in era. A request sent
// before the last change is ignored, since it gives no information about the
// provider's current state.
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
			b.endProbe()
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
	b.endProbe()
	return t
}

// endProbe ends the wait for a probe.
func (b *breaker) endProbe() {
	if b.probing {
		b.probing = false
		close(b.settled)
	}
}
