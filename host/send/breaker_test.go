package send

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// PB-D6: the breaker opens at its minimum throughput and not before, lets one
// probe through, and tells every change.
func TestBreakerSequence(t *testing.T) {
	t.Parallel()
	b := newBreaker(BreakerProfile{}.withDefaults())
	for range 4 {
		if change := b.record(epoch, b.era, outcomeFailure); change != nil {
			t.Fatal("open before the minimum throughput")
		}
	}
	open := b.record(epoch, b.era, outcomeThrottle)
	if open == nil || *open != (Transition{CircuitClosed, CircuitOpen, "provider_throttle", "provider_throttle"}) {
		t.Fatalf("%+v", open)
	}
	if _, ok, change := b.admit(epoch.Add(time.Minute - 1)); ok || change != nil {
		t.Error("admitted before the reset")
	}
	era, ok, change := b.admit(epoch.Add(time.Minute))
	if !ok || change == nil || *change != (Transition{CircuitOpen, CircuitHalfOpen, "before_request", "reset_timeout"}) {
		t.Fatalf("%v %+v", ok, change)
	}
	if _, ok, _ := b.admit(epoch.Add(time.Minute)); ok {
		t.Error("a second probe")
	}
	if late := b.record(epoch, 0, outcomeFailure); late != nil {
		t.Error("what was sent before counts as the probe")
	}
	closed := b.record(epoch, era, outcomeSuccess)
	if closed == nil || *closed != (Transition{CircuitHalfOpen, CircuitClosed, "success", "success"}) {
		t.Fatalf("%+v", closed)
	}
	for range 4 {
		if b.record(epoch, b.era, outcomeFailure) != nil {
			t.Error("the old outcomes still count")
		}
	}
}

// PB-D6: a probe that fails opens the circuit again for a whole reset, and one
// that was cancelled makes room for the next.
func TestBreakerProbe(t *testing.T) {
	t.Parallel()
	b := newBreaker(BreakerProfile{MinThroughput: 1}.withDefaults())
	b.record(epoch, b.era, outcomeFailure)
	at := epoch.Add(time.Minute)
	era, _, _ := b.admit(at)
	b.record(at, era, outcomeUnknown)
	if _, ok, _ := b.admit(at); !ok {
		t.Error("no probe after one that was cancelled")
	}
	if change := b.record(at, b.era, outcomeFailure); change == nil || change.State != CircuitOpen {
		t.Errorf("%+v", change)
	}
	if _, ok, _ := b.admit(at.Add(time.Minute - 1)); ok {
		t.Error("admitted before the second reset")
	}
}

// PB-D6: no request, no failure: a breaker without evidence never opens, and a
// mixed window opens by its ratio.
func TestBreakerRatio(t *testing.T) {
	t.Parallel()
	b := newBreaker(BreakerProfile{}.withDefaults())
	for i := range 40 { // two failures in five
		o := outcomeSuccess
		if i%5 < 2 {
			o = outcomeFailure
		}
		if b.record(epoch, b.era, o) != nil && i >= 10 {
			t.Fatalf("open at %d", i)
		}
	}
	idle := newBreaker(BreakerProfile{}.withDefaults())
	if _, ok, change := idle.admit(epoch.Add(time.Hour)); !ok || change != nil {
		t.Error("an idle breaker opened")
	}
}

// PB-D6, PB-A9, RT-24.1: an open circuit stops requests at once, asks no retry
// budget, is no source pressure, and is told as evidence without a route.
func TestOpenCircuitStops(t *testing.T) {
	t.Parallel()
	p := named()
	p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 1
	tokens := NewRetryBudget(5, 0)
	b := newBed(t, p, func(d *Deps) { d.Retries, d.Run = tokens, NewRunBudget(100, 0) })
	b.script(throttled)
	for range 5 {
		b.stopped()
	}
	s := b.stopped()
	if b.calls != 5 || s.Reason != abi.ReasonCircuitOpen || s.ArmsCooldown() || s.GapReason() != abi.ReasonRetryExhausted || abi.CodeOf(s) != CodeCircuitOpen {
		t.Errorf("%d calls, %+v", b.calls, s)
	}
	if left, _ := tokens.Remaining(); left != 5 {
		t.Errorf("%v tokens", left)
	}
	if !s.NextAttempt.Equal(epoch.Add(time.Minute)) || *s.Record.CircuitState != CircuitOpen || s.Record.RequestCount != 5 {
		t.Errorf("%+v", s)
	}
	b.clock.Advance(time.Minute)
	b.script(says{})
	b.ok(1)
	var states []CircuitState
	for _, tr := range b.moved {
		states = append(states, tr.State)
		line, err := json.Marshal(b.g.CircuitProgress(tr))
		if err != nil || strings.Contains(string(line), "example") || !strings.Contains(string(line), `"retry_tokens_remaining":5`) {
			t.Errorf("%s %v", line, err)
		}
	}
	if !slices.Equal(states, []CircuitState{CircuitOpen, CircuitHalfOpen, CircuitClosed}) {
		t.Errorf("%v", states)
	}
}

// The failure that opens the circuit is told as what it was: a throttled record
// must not lose its source pressure to the breaker.
func TestOpeningFailureKeepsItsReason(t *testing.T) {
	t.Parallel()
	p := named()
	p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 20
	b := newBed(t, p, nil)
	b.script(throttled)
	if s := b.stopped(); s.Reason != abi.ReasonRateLimited || b.calls != 5 || s.Error() != "github_rate_limited" {
		t.Errorf("%d calls, %+v", b.calls, s)
	}
}
