package send

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

// RT-25.1, PB-D4: a name is enough; the start is the discovery interval.
func TestBareName(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	s := b.g.Snapshot()
	if s == nil || s.IntervalMS != 1000 || s.MinIntervalMS != 250 || s.LastBackoff != nil {
		t.Fatalf("got %+v, want s != nil && s.IntervalMS == 1000 && s.MinIntervalMS == 250 && s.LastBackoff == nil", s)
	}
	b.ok(1)
	if !slices.Equal(b.sent, []float64{1000}) {
		t.Errorf("sent at %v, want slices.Equal(b.sent, []float64{1000})", b.sent)
	}
}

// RT-25.2: successes shorten the interval, always, until the ceiling. The
// sequence is the reference's, up to rounding.
func TestSuccessSpeedsUp(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	want := []float64{900, 818, 750, 692, 643, 600, 563}
	last := b.interval()
	for i := range 60 {
		b.ok(1)
		now := b.interval()
		if now > last || now == last && now != 250 || now < 250 {
			t.Fatalf("success %d: %v after %v, want now <= last && (now != last || now == 250) && now >= 250", i+1, now, last)
		}
		if i < len(want) && (now < want[i]-1 || now > want[i]+1) {
			t.Errorf("success %d: %v, want %v", i+1, now, want[i])
		}
		last = now
	}
	if last != 250 {
		t.Errorf("the ceiling is not reached: %v, want 250", last)
	}
}

// RT-25.3: a throttle slows down, and the snapshot says why.
func TestThrottleSlowsDown(t *testing.T) {
	t.Parallel()
	p := named()
	p.MaxAttempts = 1
	b := newBed(t, p, nil)
	b.script(throttled)
	for _, want := range []float64{1500, 2250, 3375, 5062.5} {
		b.stopped()
		s := b.g.Snapshot()
		if s.IntervalMS != want || s.LastBackoff == nil || s.LastBackoff.Reason != BackoffThrottle || s.LastBackoff.AtIntervalMS != want {
			t.Fatalf("%+v %+v, want %v", s, s.LastBackoff, want)
		}
	}
	b = newBed(t, p, nil)
	b.script(says{status: 429, headers: "Retry-After: 1"})
	b.stopped()
	if got := b.g.Snapshot().LastBackoff.Reason; got != BackoffRetryAfter {
		t.Errorf("reason %q, want %v", got, BackoffRetryAfter)
	}
}

// PB-D3, PB-A6: no error, however fast, shortens the interval; a quick 401 as
// little as a quick 429.
func TestErrorsNeverSpeedUp(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 408, 409, 410, 418, 422, 429, 451, 500, 502, 503, 504} {
		p := named()
		p.Breaker.Disabled = true
		b := newBed(t, p, nil)
		b.ok(5)
		before := b.interval()
		b.script(says{status: status})
		for range 3 {
			_, _ = b.get("/") // a stop or an answer
			if now := b.interval(); now < before {
				t.Errorf("%d: the interval fell from %v to %v, want now >= before", status, before, now)
			}
			before = b.interval()
		}
	}
}

// RT-25.4: zero switches pacing off: no wait, no snapshot.
func TestOptOut(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(1), nil)
	b.ok(3)
	if !slices.Equal(b.sent, []float64{0, 0, 0}) || len(b.waits) != 0 || b.g.Snapshot() != nil {
		t.Errorf("sent at %v, waits %v, snapshot %v, want slices.Equal(b.sent, []float64{0, 0, 0}) && len(b.waits) == 0 && b.g.Snapshot() == nil", b.sent, b.waits, b.g.Snapshot())
	}
}

// RT-20.1, PB-D2: what one request waits for is the longest of its delays, and
// one source. Invariant 4.
func TestInvariant4OneWaitSource(t *testing.T) {
	t.Parallel()
	p := named()
	p.Endpoints = []abi.ProviderEndpoint{{Name: "search", PathPrefix: "/search", MinIntervalMS: 2000}}
	p.Windows = []abi.ProviderWindow{{Requests: 20, PerMS: 60_000}} // one in three seconds
	b := newBed(t, p, nil)
	var most int
	for range 20 {
		r, err := b.get("/search")
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(r.Waits))
	}
	if most != 1 || b.g.DoubleWaits() != 0 {
		t.Errorf("%d sources at most, %d doubled, want most == 1 && b.g.DoubleWaits() == 0", most, b.g.DoubleWaits())
	}
	// Three delays: the provider's pace (1 s and less), the endpoint's (2 s), the
	// window's (3 s). The sum would be 6 s.
	if gap := b.sent[2] - b.sent[1]; gap != 3000 {
		t.Errorf("two requests are %v ms apart, want 3000", gap)
	}
}

// gate is a second limiter where none may be: a layer below the governor that
// waits by itself.
type gate struct {
	below http.RoundTripper
	clock Clock
}

func (g gate) RoundTrip(req *http.Request) (*http.Response, error) {
	const d = 300 * time.Millisecond
	ProbeFrom(req.Context()).Waited("gate", d)
	if err := g.clock.Sleep(req.Context(), d); err != nil {
		return nil, err
	}
	return g.below.RoundTrip(req)
}

// RT-20.3: a second gate before the same send is found.
func TestTwoGatesAreFound(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), func(d *Deps) { d.Transport = gate{d.Transport, d.Clock} })
	r, err := b.get("/")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Waits) != 2 || b.g.DoubleWaits() != 1 {
		t.Errorf("%v, %d doubled, want len(r.Waits) == 2 && b.g.DoubleWaits() == 1", r.Waits, b.g.DoubleWaits())
	}
	plain := newBed(t, named(), nil)
	plain.ok(3)
	if plain.g.DoubleWaits() != 0 {
		t.Error("a default governor waits twice")
	}
}

// RT-20.2: a pacing delay and a delay of the governor's own: the maximum.
func TestDelaysAreNotAddedUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ hold, pacing, want time.Duration }{
		{400 * time.Millisecond, 700 * time.Millisecond, 700 * time.Millisecond},
		{400 * time.Millisecond, 0, 400 * time.Millisecond},
		{0, 700 * time.Millisecond, 700 * time.Millisecond},
	} {
		p := named().withDefaults()
		l := newLane("", epoch, &p, 250, nil)
		l.hold = epoch.Add(test.hold)
		l.pacer.Arrival = epoch.Add(test.pacing)
		if got := l.delay(epoch); got != test.want {
			t.Errorf("%v and %v: %v, want %v", test.hold, test.pacing, got, test.want)
		}
		l.quota.reported = []ratelimit.Window{{Reset: epoch.Add(600 * time.Millisecond)}} // used up until then
		if got, want := l.delay(epoch), max(test.want, 600*time.Millisecond); got != want {
			t.Errorf("%v, %v and a quota: %v, want %v", test.hold, test.pacing, got, want)
		}
	}
}

// RT-25.2: after a back-off as well every success shortens the interval: it
// does not stop where the refusal was.
func TestRecoveryGoesOn(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	b.ok(10)
	refused := b.interval()
	b.script(throttled, says{})
	b.ok(1)
	for i := range 700 {
		before := b.g.general.rate.interval
		b.ok(1)
		if now := b.g.general.rate.interval; now > before || now == before && now != 250 {
			t.Fatalf("success %d: %v after %v, want now <= before && (now != before || now == 250)", i, now, before)
		}
	}
	if got := b.interval(); got >= refused {
		t.Errorf("after 700 successes %v, the refusal was at %v, want got < refused", got, refused)
	}
}

// PB-D2: a provider that suddenly answers slowly throttles without a word; one
// that always was slow does not, nor does one slow answer.
func TestElevatedLatency(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	usual, late := says{takes: 50 * time.Millisecond}, says{takes: 3 * time.Second}
	b.script(usual)
	b.ok(20)
	before := b.interval()
	b.script(says{takes: 2 * time.Second}, usual)
	b.ok(2)
	if now := b.interval(); now >= before || b.g.Snapshot().LastBackoff != nil {
		t.Errorf("one slow answer: %v after %v, want now < before && b.g.Snapshot().LastBackoff == nil", now, before)
	}
	before = b.interval()
	b.script(late)
	b.ok(2)
	if s := b.g.Snapshot(); s.IntervalMS <= before || s.LastBackoff == nil || s.LastBackoff.Reason != BackoffThrottle {
		t.Errorf("slow answers: %v after %v, want s.IntervalMS > before && s.LastBackoff != nil && s.LastBackoff.Reason == BackoffThrottle", s.IntervalMS, before)
	}
	steady := newBed(t, named(), nil)
	steady.script(late)
	steady.ok(100)
	if s := steady.g.Snapshot(); s.IntervalMS != 250 || s.LastBackoff != nil {
		t.Errorf("always slow: %+v, want s.IntervalMS == 250 && s.LastBackoff == nil", s)
	}
}

// A rate that misses its target by a rounding error goes on by a whole step.
func TestStepNeverVanishes(t *testing.T) {
	t.Parallel()
	a := newAdaptive(1000, 250, 60_000)
	a.known, a.limit, a.target, a.climb = true, 100, 97, 5
	a.interval = perMinute / (97 - 1e-12)
	a.success(epoch)
	if got := a.rate(); got < 97.3 {
		t.Errorf("the rate is %v, want got >= 97.3", got)
	}
}

// PB-A5, PB-D2: a provider that throttles delays no other.
func TestProvidersAreApart(t *testing.T) {
	t.Parallel()
	alone := newBed(t, named(), nil)
	alone.ok(30)
	beside := newBed(t, named(), nil)
	other := newBed(t, Profile{Name: "slack"}, nil)
	other.script(throttled)
	for range 30 {
		beside.ok(1)
		_, _ = other.get("/") // always a stop
	}
	if !slices.Equal(alone.sent, beside.sent) {
		t.Errorf("got %v\n%v, want slices.Equal(alone.sent, beside.sent)", alone.sent, beside.sent)
	}
}

// An endpoint's throttle slows the endpoint and not the provider.
func TestEndpointsLearnAlone(t *testing.T) {
	t.Parallel()
	p := named()
	p.MaxAttempts = 1
	p.Endpoints = []abi.ProviderEndpoint{{Name: "search", Method: http.MethodGet, PathPrefix: "/search", MinIntervalMS: 2000}}
	b := newBed(t, p, nil)
	b.script(throttled)
	if _, err := b.get("/search/code"); err == nil {
		t.Fatal("no stop")
	}
	if b.interval() != 1000 || b.g.endpoints[0].rate.interval != 3000 {
		t.Errorf("general %v, search %v, want b.interval() == 1000 && b.g.endpoints[0].rate.interval == 3000", b.interval(), b.g.endpoints[0].rate.interval)
	}
}

// Requests that are under way together are paced like others, in the order in
// which they asked, and a Retry-After of one holds all back. Invariant 4.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		sent := make(chan time.Duration, 16)
		transport := roundTrip(func(req *http.Request) (*http.Response, error) {
			sent <- time.Since(began)
			h := make(http.Header)
			status := http.StatusOK
			if len(sent) == 2 {
				status = http.StatusTooManyRequests
				h.Set("Retry-After", "30")
			}
			time.Sleep(50 * time.Millisecond)
			return &http.Response{StatusCode: status, Header: h, Body: http.NoBody, Request: req}, nil
		})
		g, err := New(named(), Deps{Transport: transport, Clock: SystemClock{}, Random: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			go func() {
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example/", http.NoBody)
				r, err := g.Do(t.Context(), req)
				if err != nil || len(r.Waits) > 1 {
					t.Errorf("got %+v, %+v, want no error && len(r.Waits) <= 1", r, err)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		close(sent)
		var at []time.Duration
		for d := range sent {
			at = append(at, d)
		}
		if len(at) != 6 || g.DoubleWaits() != 0 {
			t.Fatalf("got %v, want len(at) == 6 && g.DoubleWaits() == 0", at)
		}
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < 250*time.Millisecond {
				t.Errorf("two sends are %v apart, want at[i] - at[i-1] >= 250 * time.Millisecond", at[i]-at[i-1])
			}
		}
		if at[2] < at[1]+30*time.Second {
			t.Errorf("a send at %v, inside the Retry-After from %v on, want at[2] >= at[1] + 30*time.Second", at[2], at[1])
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A cancelled request leaves the queue and is no answer of the provider.
func TestCancelled(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	over := errors.New("the run is over")
	cancel(over)
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example/", http.NoBody)
	_, err := b.g.Do(ctx, req)
	if !errors.Is(err, over) || b.calls != 0 || b.interval() != 1000 {
		t.Errorf("%v after %d calls, want errors.Is(err, over) && b.calls == 0 && b.interval() == 1000", err, b.calls)
	}
	b.ok(1)
}

// However often a provider refuses, its requests do not come further apart than the longest
// interval, and one that a run before had learned does not either.
func TestTheLongestInterval(t *testing.T) {
	t.Parallel()
	const longest = 4000
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, refusal := range []bool{false, true} {
		a := newAdaptive(1000, 250, longest)
		for n := range 20 {
			a.throttle(now.Add(time.Duration(n)*time.Hour), sign{refusal: refusal, streak: 1 + n%5})
			if a.interval > longest {
				t.Fatalf("refusal %v, throttle %d: got an interval of %v ms, want at most %d", refusal, n+1, a.interval, longest)
			}
		}
		if a.interval != longest {
			t.Errorf("refusal %v: got an interval of %v ms after 20 throttles, want %d", refusal, a.interval, longest)
		}
	}
	a := newAdaptive(1000, 250, longest)
	if a.restore(Learned{IntervalMS: 900, LimitPerMinute: 1}); a.interval != longest {
		t.Errorf("restored with a limit of one a minute: got an interval of %v ms, want %d", a.interval, longest)
	}
	p := named()
	p.MaxAttempts, p.MaxIntervalMS, p.Breaker.Disabled = 1, longest, true
	b := newBed(t, p, nil)
	b.script(throttled)
	for range 6 {
		b.stopped()
	}
	if got := b.interval(); got != longest {
		t.Errorf("got an interval of %v ms under a profile of at most %d", got, longest)
	}
	if a = newAdaptive(9000, 250, longest); a.ceiling != 9000 {
		t.Errorf("got a longest interval of %v ms, want the first one where that is longer", a.ceiling)
	}
}
