package send

import (
	"net/http"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A service that is away for ten seconds costs a run nothing but time: the
// attempts of one request outlast it, and never add up to more than they may.
func TestShortOutageIsSatOut(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]says{
		"503": {status: http.StatusServiceUnavailable}, "502": unwell, "504": {status: http.StatusGatewayTimeout}, "no answer": {err: errReset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, named(), nil)
			b.ok(20)
			from := b.clock.Now()
			b.answer = func(int, *http.Request) says {
				if b.clock.Now().Sub(from) < 10*time.Second {
					return outage
				}
				return says{}
			}
			before := b.calls
			b.ok(20)
			if asked := b.calls - before; asked > 23 {
				t.Errorf("%d requests for 20 answers, want 23 at most", asked)
			}
			if took := b.clock.Now().Sub(from); took > 90*time.Second {
				t.Errorf("20 requests took %s, want 90s at most", took)
			}
			if b.g.DoubleWaits() > 0 {
				t.Errorf("%d attempts waited twice, want b.g.DoubleWaits() <= 0", b.g.DoubleWaits())
			}
		})
	}
}

// An outage that lasts, a request that fails by itself, and a service that was
// never reached end as they did: after their attempts, soon where no pause helps.
func TestPauseIsForOutagesAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers  bool // the service did, before
		fails    says
		atMost   time.Duration
		attempts int
	}{
		"outage":          {true, says{status: 503}, 100 * time.Second, 4},
		"one request":     {true, says{status: 500}, 20 * time.Second, 4},
		"never reached":   {false, says{err: errReset}, 20 * time.Second, 4},
		"long, as told":   {true, says{status: 503, headers: "Retry-After: 7200"}, time.Second, 1},
		"short, as told":  {true, says{status: 503, headers: "Retry-After: 5"}, 20 * time.Second, 4},
		"busy once asked": {false, says{status: 503}, 100 * time.Second, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, named(), nil)
			if c.answers {
				b.ok(30)
			}
			from := b.clock.Now()
			b.script(c.fails)
			if s := b.stopped(); s.Attempts != c.attempts {
				t.Errorf("%d attempts, want %d", s.Attempts, c.attempts)
			}
			if took := b.clock.Now().Sub(from); took > c.atMost {
				t.Errorf("it took %s, want %s at most", took, c.atMost)
			}
		})
	}
}

// PB-A3: the owner's deadline ends the pause as a planned stop.
func TestPauseEndsWithTheRun(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), func(d *Deps) { d.Run = NewRunBudget(0, 30*time.Second) })
	b.script(says{status: 503})
	if s := b.stopped(); s.Reason != abi.ReasonWallClockDeadline || s.ArmsCooldown() {
		t.Errorf("b.stopped(): got %+v, want s.Reason == abi.ReasonWallClockDeadline && !s.ArmsCooldown()", s)
	}
	if b.at() > 30_000 {
		t.Errorf("it stopped after %v ms, want 30000 at most", b.at())
	}
}

// A 503 is a service that is away, and no refusal: a request that finds its pause
// too long is not told to ask less.
func TestPauseOfA503IsNoRefusal(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]abi.Reason{503: abi.ReasonUpstreamPressure, 429: abi.ReasonRateLimited} {
		b := newBed(t, named(), nil)
		b.script(says{status: status, headers: "Retry-After: 3600"})
		for n := range 2 {
			if s := b.stopped(); s.Reason != want || (abi.CodeOf(s) == CodeRateLimited) != (status == 429) {
				t.Errorf("%d, request %d: %s %q, want %s", status, n, s.Reason, s.Error(), want)
			}
		}
	}
}
