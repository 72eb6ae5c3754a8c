package send

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// keeper collects what a governor has kept, and what it had not sent or slept by then.
type keeper struct{ kept []Standing }

func (k *keeper) deps(d *Deps) { d.Keep = func(s Standing) { k.kept = append(k.kept, s) } }

func (k *keeper) last() Standing {
	if len(k.kept) == 0 {
		return Standing{}
	}
	return k.kept[len(k.kept)-1]
}

// pauses are all ways in which a governor learns that it has to wait: what the provider says
// first, and for how long nothing may be sent from then on.
var pauses = map[string]struct {
	first  says
	change func(*Profile)
	after  time.Duration // that it takes until the wait begins
	want   time.Duration
	told   bool
	reason abi.Reason
}{
	"429 with a pause": {first: says{status: 429, headers: "Retry-After: 120"}, want: 2 * time.Minute, told: true, reason: abi.ReasonRateLimited},
	"429 with a date": {
		first: says{status: 429, headers: "Retry-After: Thu, 01 Jan 2026 00:02:00 GMT\nDate: Thu, 01 Jan 2026 00:00:00 GMT"}, want: 2 * time.Minute, told: true, reason: abi.ReasonRateLimited,
	},
	"503 with a pause": {first: says{status: 503, headers: "Retry-After: 120"}, want: 2 * time.Minute, told: true, reason: abi.ReasonUpstreamPressure},
	"500 with a pause": {first: says{status: 500, headers: "Retry-After: 120"}, want: 2 * time.Minute, told: true, reason: abi.ReasonUpstreamPressure},
	"403 with a pause": {first: says{status: 403, headers: "Retry-After: 120"}, want: 2 * time.Minute, told: true, reason: abi.ReasonRateLimited},
	"a refusal of its own": {
		first: says{status: 400, body: "slow down"}, want: 2 * time.Minute, told: true, reason: abi.ReasonRateLimited,
		change: func(p *Profile) {
			p.Refusals = []abi.ProviderRefusal{{Status: 400, Contains: "slow down", WaitMS: 120_000}}
		},
	},
	"a longer pause than a run waits": {first: says{status: 429, headers: "Retry-After: 7200"}, want: 2 * time.Hour, told: true, reason: abi.ReasonRateLimited},
	"an exhausted window": {
		first: says{headers: "X-RateLimit-Limit: 60\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 120"}, want: 2*time.Minute + rounded, told: true, reason: abi.ReasonRateLimited,
	},
	"a refusal of an exhausted window": {
		first: says{status: 429, headers: "RateLimit: limit=60, remaining=0, reset=120"}, want: 2*time.Minute + rounded, told: true, reason: abi.ReasonRateLimited,
	},
	"a documented window": {
		first: says{}, want: 10 * time.Minute, told: true, reason: abi.ReasonRateLimited,
		change: func(p *Profile) { p.Windows = []abi.ProviderWindow{{Requests: 2, PerMS: 600_000}} },
	},
	"a 429 without a pause": {first: says{status: 429}, change: slowly, want: time.Minute, reason: abi.ReasonRateLimited},
	"a service that fails":  {first: says{status: 502}, change: slowly, want: time.Minute, reason: abi.ReasonUpstreamPressure},
	"a service that stays away": {
		first: says{status: 502}, after: time.Second, want: 16500 * time.Millisecond, reason: abi.ReasonUpstreamPressure,
		change: func(p *Profile) { p.MaxAttempts, p.BackoffBaseMS, p.BackoffCapMS = 3, 1000, 60_000 },
	},
	"an open circuit": {
		first: says{status: 502}, want: time.Minute, reason: abi.ReasonUpstreamPressure,
		change: func(p *Profile) {
			p.MaxAttempts, p.Breaker = 1, abi.ProviderBreaker{MinThroughput: 1, Window: 1, ResetMS: 60_000}
		},
	},
}

// slowly has the sleep after a failure be a minute.
func slowly(p *Profile) { p.BackoffBaseMS, p.BackoffCapMS = 120_000, 120_000 }

// AC-13: each way in which a pause is learned is kept before the wait for it begins, and a
// governor that recalls it sends nothing before it is over.
func TestPauseIsKeptWhenItIsLearned(t *testing.T) {
	t.Parallel()
	for name, c := range pauses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				profile := calm(2)
				if c.change != nil {
					c.change(&profile)
				}
				k, sent := new(keeper), 0
				answers := transport(func(*http.Request) says { sent++; return c.first })
				deps := Deps{Transport: answers, Clock: SystemClock{}, Random: func() float64 { return 0.5 }}
				k.deps(&deps)
				g, err := New(profile, deps)
				if err != nil {
					t.Fatal(err)
				}
				ctx, kill := context.WithCancel(t.Context())
				began := time.Now()
				go func() {
					for i := 0; i < 5 && ctx.Err() == nil; i++ {
						req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example/", http.NoBody)
						_, _ = g.Do(ctx, req)
					}
				}()
				time.Sleep(c.after)
				synctest.Wait() // it sleeps, or has given up
				s := k.last()
				if got := s.Until.Sub(began); got != c.want || s.Reason != c.reason || c.told != s.Told.Equal(s.Until) {
					t.Errorf("got until %v, told %v, %s, want %v, told: %v, %s", got, s.Told.Sub(began), s.Reason, c.want, c.told, c.reason)
				}
				before := sent
				kill()
				synctest.Wait()

				deps.Recalled, deps.Keep = Recall(s.Learned, time.Now()), nil
				next, err := New(profile, deps)
				if err != nil {
					t.Fatal(err)
				}
				ctx, end := context.WithTimeout(t.Context(), c.want-c.after-time.Second)
				defer end()
				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example/", http.NoBody)
				_, err = next.Do(ctx, req)
				if err == nil || sent != before {
					t.Errorf("got %v and %d requests before the pause is over, want an error and 0", err, sent-before)
				}
			})
		})
	}
}

// transport answers each request.
type transport func(*http.Request) says

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) {
	b := &bed{clock: NewVirtualClock(epoch), answer: func(int, *http.Request) says { return f(req) }}
	return b.RoundTrip(req)
}

// AC-13: a pause of one endpoint holds that endpoint back in the next run, and nothing else.
func TestPauseOfAnEndpointIsRecalled(t *testing.T) {
	t.Parallel()
	profile := calm(1)
	profile.Endpoints = []abi.ProviderEndpoint{{Name: "search", PathPrefix: "/search"}}
	k := new(keeper)
	b := newBed(t, profile, k.deps)
	b.script(says{status: 429, headers: "Retry-After: 120"})
	if _, err := b.get("/search"); err == nil {
		t.Fatal("got no error, want that of the refusal")
	}
	s := k.last()
	if !s.Until.IsZero() || s.Learned == nil {
		t.Fatalf("got %v and %q, want nothing for the whole, and something learned", s.Until, s.Learned)
	}
	next := newBed(t, profile, func(d *Deps) { d.Recalled = Recall(s.Learned, b.clock.Now()) })
	next.ok(1)
	if at := next.sent[0]; at != 0 {
		t.Errorf("another request went after %v ms, want at once", at)
	}
	if _, err := next.get("/search"); err != nil || next.sent[1] != 120_000 {
		t.Errorf("got %v and %v ms, want no error and 120000", err, next.sent)
	}
}

// AC-13: what a refusal taught of the pace is kept when it is learned, and the later one of two
// accounts of it counts.
func TestPaceIsKeptWhenItIsLearned(t *testing.T) {
	t.Parallel()
	k := new(keeper)
	b := newBed(t, named(), k.deps)
	b.script(says{}, says{}, says{status: 429}, says{})
	b.ok(3)
	if len(k.kept) == 0 {
		t.Fatal("nothing was kept")
	}
	at := b.clock.Now().Add(time.Minute)
	got := Recall(k.kept[0].Learned, at).Newer(nil)
	if got == nil || got.IntervalMS <= 0 {
		t.Fatalf("got %+v, want an interval", got)
	}
	older, newer := &Learned{IntervalMS: 1, ended: epoch.Add(-time.Hour)}, &Learned{IntervalMS: 1, ended: at}
	if r := Recall(k.kept[0].Learned, at); r.Newer(older) == older || r.Newer(newer) != newer {
		t.Error("the older account of the pace counts")
	}
}

// AC-13: a pause is written once, and what goes well writes nothing.
func TestNothingIsKeptOnTheWay(t *testing.T) {
	t.Parallel()
	k := new(keeper)
	b := newBed(t, named(), k.deps)
	b.script(says{})
	b.ok(500)
	if len(k.kept) != 0 {
		t.Errorf("500 good answers were kept %d times", len(k.kept))
	}
	p := calm(3)
	b = newBed(t, p, k.deps)
	b.script(says{status: 503, headers: "Retry-After: 120"}, says{})
	b.ok(1)
	if len(k.kept) != 1 {
		t.Errorf("one pause was kept %d times, want once", len(k.kept))
	}
}

// A clock that went back since moves the pauses with it. A text that nobody wrote has none.
func TestRecall(t *testing.T) {
	t.Parallel()
	learned := fmt.Sprintf(`{"at_ms":%d,"lanes":[{"hold_until_ms":%d}]}`, epoch.UnixMilli(), epoch.Add(time.Minute).UnixMilli())
	for name, c := range map[string]struct {
		now  time.Time
		want time.Duration // from now
	}{
		"at once": {epoch, time.Minute}, "half": {epoch.Add(30 * time.Second), 30 * time.Second}, "over": {epoch.Add(time.Hour), 0}, "the clock went back": {epoch.Add(-time.Hour), time.Minute},
	} {
		b := newBed(t, calm(1), func(d *Deps) {
			d.Clock = NewVirtualClock(c.now)
			d.Recalled = Recall([]byte(learned), c.now)
		})
		if got := latest(c.now, b.g.general.hold); c.want == 0 && !got.IsZero() || c.want > 0 && got.Sub(c.now) != c.want {
			t.Errorf("%s: got a hold until %v, want %v from now", name, got, c.want)
		}
	}
	for _, text := range []string{"", "null", "[]", `{"lanes":{}}`, `{"own_until_ms":-5,"lanes":[{"lane":"?","hold_until_ms":1}]}`} {
		newBed(t, calm(1), func(d *Deps) { d.Recalled = Recall([]byte(text), epoch) }).ok(1)
	}
}

// A run sleeps when all that is under way waits for a pause, and not while one request is at the
// provider or waits for its pace alone.
func TestAsleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan says)
		g, err := New(calm(3), Deps{Transport: transport(func(*http.Request) says { return <-answer }), Clock: SystemClock{}, Random: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		do := func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example/", http.NoBody)
			_, _ = g.Do(t.Context(), req)
		}
		for range 3 {
			go do()
		}
		look := func(want bool, when string) {
			t.Helper()
			if synctest.Wait(); g.Asleep() != want {
				t.Errorf("%s: got asleep %v, want %v", when, !want, want)
			}
		}
		look(false, "all three at the provider")
		answer <- says{status: 429, headers: "Retry-After: 120"}
		look(false, "one waits, two are at the provider")
		answer <- says{status: 429, headers: "Retry-After: 120"}
		answer <- says{}
		look(true, "two wait, and one is done")
		go do()
		look(true, "another one waits behind them")
		time.Sleep(2 * time.Minute)
		look(false, "the pause is over")
		for range 3 {
			answer <- says{}
		}
		look(false, "nothing is under way")
	})
}
