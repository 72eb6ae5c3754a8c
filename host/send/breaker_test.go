package send

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func breakerProfile(minThroughput int) abi.ProviderBreaker {
	b := abi.ProviderBreaker{MinThroughput: minThroughput}
	breakerDefaults(&b)
	return b
}

// PB-D6: the breaker opens at its minimum throughput and not before, lets one
// probe through, and tells every change.
func TestBreakerSequence(t *testing.T) {
	t.Parallel()
	b := newBreaker(breakerProfile(0))
	for range 4 {
		if change := b.record(epoch, b.era, outcomeFailure); change != nil {
			t.Fatal("open before the minimum throughput")
		}
	}
	open := b.record(epoch, b.era, outcomeThrottle)
	if open == nil || *open != (Transition{CircuitClosed, CircuitOpen, "provider_throttle", "provider_throttle"}) {
		t.Fatalf(`got %+v, want open != nil && *open == (Transition{CircuitClosed, CircuitOpen, "provider_throttle", "provider_throttle"})`, open)
	}
	if wait, _ := b.delay(epoch.Add(time.Minute - 1)); wait != 1 {
		t.Errorf("the open circuit waits %s more, want 1ns", wait)
	}
	if wait, probed := b.delay(epoch.Add(time.Minute)); wait != 0 || probed {
		t.Errorf("after the reset it waits %s, probed %v, want wait == 0 && !probed", wait, probed)
	}
	era, change := b.admit()
	if change == nil || *change != (Transition{CircuitOpen, CircuitHalfOpen, "before_request", "reset_timeout"}) {
		t.Fatalf(`got %+v, want change != nil && *change == (Transition{CircuitOpen, CircuitHalfOpen, "before_request", "reset_timeout"})`, change)
	}
	if _, probed := b.delay(epoch.Add(time.Minute)); !probed {
		t.Error("a second probe is let through")
	}
	if late := b.record(epoch, 0, outcomeFailure); late != nil {
		t.Error("what was sent before counts as the probe")
	}
	closed := b.record(epoch, era, outcomeSuccess)
	if closed == nil || *closed != (Transition{CircuitHalfOpen, CircuitClosed, "success", "success"}) {
		t.Fatalf(`got %+v, want closed != nil && *closed == (Transition{CircuitHalfOpen, CircuitClosed, "success", "success"})`, closed)
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
	b := newBreaker(breakerProfile(1))
	b.record(epoch, b.era, outcomeFailure)
	at := epoch.Add(time.Minute)
	era, _ := b.admit()
	b.record(at, era, outcomeUnknown)
	if wait, probed := b.delay(at); wait != 0 || probed {
		t.Errorf("no probe after one that was cancelled: waits %s, probed %v, want wait == 0 && !probed", wait, probed)
	}
	b.admit()
	if change := b.record(at, b.era, outcomeFailure); change == nil || change.State != CircuitOpen {
		t.Errorf("b.record(at, b.era, outcomeFailure): got %+v, want change != nil && change.State == CircuitOpen", change)
	}
	if wait, _ := b.delay(at.Add(time.Minute - 1)); wait != 1 {
		t.Errorf("the second reset waits %s more, want 1ns", wait)
	}
}

// PB-D6: no request, no failure: a breaker without evidence never opens, and a
// mixed window opens by its ratio.
func TestBreakerRatio(t *testing.T) {
	t.Parallel()
	b := newBreaker(breakerProfile(0))
	for i := range 40 { // two failures in five
		o := outcomeSuccess
		if i%5 < 2 {
			o = outcomeFailure
		}
		if b.record(epoch, b.era, o) != nil && i >= 10 {
			t.Fatalf("open at %d, want b.record(epoch, b.era, o) == nil || i < 10", i)
		}
	}
	idle := newBreaker(breakerProfile(0))
	if wait, _ := idle.delay(epoch.Add(time.Hour)); wait != 0 || idle.state != CircuitClosed {
		t.Errorf("an idle breaker is %s, want wait == 0 && idle.state == CircuitClosed", idle.state)
	}
}

// PB-D6, PB-A9, RT-24.1: an open circuit stops requests at once, charges no retry
// budget, is no source pressure, and is reported as evidence without a route.
func TestOpenCircuitStops(t *testing.T) {
	t.Parallel()
	p := named()
	p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 1
	p.MaxInlineWaitMS = time.Minute.Milliseconds() - 1 // too long to be sat out
	tokens := NewRetryBudget(5, 0)
	b := newBed(t, p, func(d *Deps) { d.Retries, d.Run = tokens, NewRunBudget(100, 0) })
	b.script(says{status: 500})
	for range 5 {
		b.stopped()
	}
	s := b.stopped()
	if b.calls != 5 || s.Reason != abi.ReasonCircuitOpen || s.ArmsCooldown() || s.GapReason() != abi.ReasonRetryExhausted || abi.CodeOf(s) != CodeCircuitOpen {
		t.Errorf("%d calls, %+v, want b.calls == 5 && s.Reason == abi.ReasonCircuitOpen && !s.ArmsCooldown() && s.GapReason() == abi.ReasonRetryExhausted && abi.CodeOf(s) == CodeCircuitOpen", b.calls, s)
	}
	if left, _ := tokens.Remaining(); left != 5 {
		t.Errorf("%v tokens, want 5", left)
	}
	if !s.NextAttempt.Equal(epoch.Add(time.Minute)) || *s.Record.CircuitState != CircuitOpen || s.Record.RequestCount != 5 {
		t.Errorf("got %+v, want s.NextAttempt.Equal(epoch.Add(time.Minute)) && *s.Record.CircuitState == CircuitOpen && s.Record.RequestCount == 5", s)
	}
	b.clock.Advance(time.Minute)
	b.script(says{})
	b.ok(1)
	var states []CircuitState
	for _, tr := range b.moved {
		states = append(states, tr.State)
		line, err := json.Marshal(b.g.CircuitProgress(tr))
		if err != nil || strings.Contains(string(line), "example") || !strings.Contains(string(line), `"retry_tokens_remaining":5`) {
			t.Errorf("got %s %v, want no error && !strings.Contains(string(line), \"example\") && strings.Contains(string(line), `\"retry_tokens_remaining\":5`)", line, err)
		}
	}
	if !slices.Equal(states, []CircuitState{CircuitOpen, CircuitHalfOpen, CircuitClosed}) {
		t.Errorf("got %v, want slices.Equal(states, []CircuitState{CircuitOpen, CircuitHalfOpen, CircuitClosed})", states)
	}
}

// The failure that opens the circuit keeps its own reason: a throttled record must not
// lose its source pressure to the breaker.
func TestOpeningFailureKeepsItsReason(t *testing.T) {
	t.Parallel()
	p := named()
	p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 1
	b := newBed(t, p, nil)
	b.script(says{status: 429, headers: "Retry-After: 1"})
	for range 5 {
		if s := b.stopped(); s.Reason != abi.ReasonRateLimited || s.Error() != "github_rate_limited" {
			t.Errorf(`%d calls, %+v, want s.Reason == abi.ReasonRateLimited && s.Error() == "github_rate_limited"`, b.calls, s)
		}
	}
	if b.g.breaker.state != CircuitOpen {
		t.Errorf("the circuit is %s, want %v", b.g.breaker.state, CircuitOpen)
	}
}

// PB-D6: a request counts once, however often it was sent: one that always fails
// opens nothing by itself.
func TestBreakerCountsRequests(t *testing.T) {
	t.Parallel()
	p := named()
	p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 20
	b := newBed(t, p, nil)
	b.script(says{status: 500})
	for n := range 4 {
		if s := b.stopped(); s.Attempts != 20 {
			t.Fatalf("request %d: %d attempts, want 20: %v", n, s.Attempts, s)
		}
	}
	if b.g.breaker.state != CircuitClosed || len(b.moved) > 0 {
		t.Errorf("after four failed requests the circuit is %s, want b.g.breaker.state == CircuitClosed && len(b.moved) <= 0", b.g.breaker.state)
	}
	if b.stopped(); b.g.breaker.state != CircuitOpen {
		t.Errorf("after five failed requests the circuit is %s, want open", b.g.breaker.state)
	}
}

// RT-20.1: the first open circuit of a run is sat out, in the one wait before a
// send, when that is no longer than any other wait and within the run's time. A
// second one stops the run.
func TestCircuitIsSatOutOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inline int64
		wall   time.Duration
		waits  bool
	}{
		"by default":      {0, 0, true},
		"too long":        {59_999, 0, false},
		"beyond the run":  {0, 50 * time.Second, false},
		"within the run":  {0, 2 * time.Minute, true},
		"exactly as long": {60_000, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := named()
			p.DiscoveryMS, p.MaxAttempts, p.MaxInlineWaitMS = new(int64(0)), 1, c.inline
			b := newBed(t, p, func(d *Deps) { d.Run = NewRunBudget(0, c.wall) })
			b.script(says{status: 500}, says{status: 500}, says{status: 500}, says{status: 500}, says{status: 500}, says{})
			for range 5 {
				b.stopped()
			}
			if !c.waits {
				if s := b.stopped(); s.Reason != abi.ReasonCircuitOpen || b.calls != 5 || b.at() != 0 {
					t.Errorf("%d calls at %v ms, %+v, want s.Reason == abi.ReasonCircuitOpen && b.calls == 5 && b.at() == 0", b.calls, b.at(), s)
				}
				return
			}
			b.ok(1)
			if len(b.waits) != 1 || b.waits[0] != 60_000 || len(b.sleeps) > 0 || b.g.DoubleWaits() > 0 {
				t.Errorf("waits %v, sleeps %v, %d double waits: want one wait of a minute", b.waits, b.sleeps, b.g.DoubleWaits())
			}
			b.script(says{status: 500})
			for range 5 {
				b.stopped()
			}
			if s := b.stopped(); s.Reason != abi.ReasonCircuitOpen || b.calls != 5 {
				t.Errorf("the second open circuit: %d calls, %v; want 5 and circuit_open", b.calls, s)
			}
		})
	}
}

// A probe that fails is not sent again, and ends the pause for good.
func TestFailedProbeEndsThePause(t *testing.T) {
	t.Parallel()
	p := named()
	p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 4
	b := newBed(t, p, nil)
	b.script(says{status: 500})
	for range 5 {
		b.stopped()
	}
	b.calls = 0
	if s := b.stopped(); b.calls != 1 || s.Reason != abi.ReasonTemporaryUnavailable {
		t.Errorf("the probe: %d calls, %v; want 1 and its own reason", b.calls, s)
	}
	if s := b.stopped(); b.calls != 1 || s.Reason != abi.ReasonCircuitOpen {
		t.Errorf("after the probe: %d calls, %v; want circuit_open", b.calls, s)
	}
}

// PB-D6: a probe whose turn comes when another request has taken the run's last attempt sends nothing, and
// makes room for the next: who waits for its end would wait for ever.
func TestAProbeWithoutAnAttempt(t *testing.T) {
	t.Parallel()
	run := NewRunBudget(2, 0)
	p := named()
	p.MaxAttempts, p.Breaker = 1, breakerProfile(1)
	var b *bed
	b = newBed(t, p, func(d *Deps) {
		d.Run = run
		d.Observe = func(e Event) {
			if b.observe(e); e.Kind == EventCircuit && e.Circuit.State == CircuitHalfOpen {
				run.charge(e.At)
			}
		}
	})
	b.script(unwell)
	b.stopped()
	b.clock.Advance(time.Hour)
	if s := b.stopped(); s.Reason != abi.ReasonRequestCapReached {
		t.Fatalf("got a stop for %s, want %s", s.Reason, abi.ReasonRequestCapReached)
	}
	if _, probed := b.g.breaker.delay(b.clock.Now()); probed || b.calls != 1 {
		t.Errorf("got a probe in progress: %v, after %d requests, want none after the first one", probed, b.calls)
	}
}
