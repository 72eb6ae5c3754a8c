package send

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// faults is how many random sequences of answers are tried.
const faults = 10_000

// TestFaultSequences holds what is true of every sequence of answers: RT-20.1,
// RT-22.1, RT-23.2, PB-A4, PB-A6, PB-D1, PB-D3, PB-D6 and Invariant 4.
func TestFaultSequences(t *testing.T) {
	t.Parallel()
	n := faults
	if testing.Short() {
		n /= 20
	}
	for seed := range uint64(n) {
		if err := faultSequence(t, seed); err != nil {
			t.Fatalf("seed %d: %v, want no error", seed, err)
		}
	}
}

func faultSequence(t *testing.T, seed uint64) error {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	p := named()
	p.MaxAttempts = 1 + r.IntN(6)
	p.MinIntervalMS = []int64{1, 50, 250, 1000, 5000}[r.IntN(5)]
	p.Breaker.Disabled = r.IntN(3) == 0
	if r.IntN(3) == 0 {
		p.ToleranceMS = new(r.Int64N(5000))
	}
	capacity, maxRequests := float64(r.IntN(20)), int64(r.IntN(120))
	run, tokens := NewRunBudget(maxRequests, time.Duration(r.IntN(2))*time.Hour), NewRetryBudget(capacity, 0.2)
	b := newBed(t, p, func(d *Deps) { d.Run, d.Retries, d.Random = run, tokens, r.Float64 })
	var wrong error
	fail := func(format string, args ...any) {
		if wrong == nil {
			wrong = fmt.Errorf(format, args...)
		}
	}
	successes, retries := 0, 0
	var notBefore float64
	b.answer = func(n int, _ *http.Request) says {
		at := b.sent[n-1]
		if at < notBefore-1e-3 {
			fail("sent at %v, told not before %v", at, notBefore)
		}
		if n > 1 && at-b.sent[n-2] < float64(p.MinIntervalMS)-1e-3 {
			fail("%v ms between two sends, the ceiling is %d", at-b.sent[n-2], p.MinIntervalMS)
		}
		a := says{takes: time.Duration(r.IntN(2000)) * time.Millisecond}
		switch r.IntN(8) {
		case 0, 1:
			a.status = []int{429, 503}[r.IntN(2)]
			if after := r.IntN(60); r.IntN(2) == 0 {
				a.headers = fmt.Sprintf("Retry-After: %d", after)
				notBefore = at + millis(a.takes) + float64(after*1000)
			}
		case 2:
			a.status = []int{408, 500, 502, 504}[r.IntN(4)]
		case 3:
			a.status = []int{400, 401, 403, 404}[r.IntN(4)]
		case 4:
			a.err = errReset
		default:
			successes++
		}
		return a
	}
	planned := 0
	for range 60 {
		before, calls := b.interval(), b.calls
		resp, err := b.get("/")
		made := b.calls - calls
		retries += max(0, made-1)
		var stop *Stop
		switch {
		case err == nil && resp.Attempts != made, made > p.MaxAttempts:
			fail("%d calls, %d attempts allowed", made, p.MaxAttempts)
		case err != nil && !errors.As(err, &stop):
			fail("an error that is no stop: %v", err)
		case err != nil && stop.Attempts != made:
			fail("%d calls, the stop says %d", made, stop.Attempts)
		case err != nil && stop.Reason == "":
			fail("a stop without a reason: %v", stop)
		case err != nil && stop.ArmsCooldown() && stop.Reason.Has(abi.BudgetExhaustion):
			fail("a budget arms the cooldown: %v", stop.Reason)
		}
		if err != nil && b.interval() < before && successes == 0 {
			fail("without one success the interval fell from %v to %v", before, b.interval())
		}
		if b.interval() < float64(p.MinIntervalMS)-1e-3 {
			fail("the interval %v is below the ceiling", b.interval())
		}
		if stop != nil && stop.Reason == abi.ReasonCircuitOpen {
			b.clock.Advance(stop.NextAttempt.Sub(b.clock.Now()))
		}
		if stop != nil && (stop.Reason == abi.ReasonRequestCapReached || stop.Reason == abi.ReasonWallClockDeadline) {
			if planned++; planned > 3 {
				break
			}
		}
	}
	if maxRequests > 0 && int64(b.calls) > maxRequests {
		fail("%d attempts, %d allowed", b.calls, maxRequests)
	}
	if most := capacity + 0.2*float64(successes); float64(retries) > most+1e-6 {
		fail("%d retries, at most %v", retries, most)
	}
	if b.g.DoubleWaits() != 0 {
		fail("an attempt waited twice")
	}
	return wrong
}

// A refused destination or a caller's deadline is no evidence of the provider's
// health: no retry, no breaker, no slower pace.
func TestOwnRefusalIsNoEvidence(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	refusal := abi.NewError("egress.refused", "not this host", "declare it")
	b.script(says{err: fmt.Errorf("dial: %w", refusal)})
	for range 6 {
		b.calls = 0
		if _, err := b.get("/"); !errors.Is(err, refusal) || b.calls != 1 {
			t.Fatalf("%d calls, %v, want errors.Is(err, refusal) && b.calls == 1", b.calls, err)
		}
	}
	if b.interval() != 1000 || len(b.moved) != 0 {
		t.Errorf("interval %v, want b.interval() == 1000 && len(b.moved) == 0", b.interval())
	}
}

// A lane that was throttled eight times within a minute pauses for the rest of it:
// providers lock accounts at ten.
func TestNoBan(t *testing.T) {
	t.Parallel()
	p := named()
	p.Breaker.Disabled, p.DiscoveryMS, p.MinIntervalMS = true, new(int64(10)), 10
	b := newBed(t, p, nil)
	b.answer = func(n int, _ *http.Request) says {
		if n%2 == 0 {
			return says{}
		}
		return throttled
	}
	var times []float64
	for range 100 {
		if _, err := b.g.Do(context.Background(), mustGet(t)); err != nil {
			t.Fatal(err)
		}
		times = append(times, b.sent[len(b.sent)-2])
	}
	for i := 9; i < len(times); i++ {
		if times[i]-times[i-9] < 60_000 {
			t.Fatalf("ten throttles within %v ms, want times[i] - times[i-9] >= 60_000", times[i]-times[i-9])
		}
	}
}

func mustGet(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func BenchmarkDo(b *testing.B) {
	p := named()
	p.DiscoveryMS = new(int64(0))
	answer := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
	})
	g, err := New(p, Deps{Transport: answer, Clock: SystemClock{}, Random: func() float64 { return 0.5 }})
	if err != nil {
		b.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://api.example/", http.NoBody)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Do(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}
