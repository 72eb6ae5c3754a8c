package send

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// silent is a provider that counts in windows from the top of each and says no
// more than 429.
func silent(b *bed, limit int, per time.Duration) {
	used, top := 0, time.Time{}
	b.answer = func(int, *http.Request) says {
		if now := b.clock.Now().Truncate(per); !now.Equal(top) {
			top, used = now, 0
		}
		if used++; used > limit {
			return throttled
		}
		return says{}
	}
}

// A run waits for the end of a full window of a minute that the provider does not
// mention, even if an earlier run filled most of it.
func TestSilentWindowIsSatOut(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{20, 60, 100} {
		b := newBed(t, named(), nil)
		silent(b, limit, time.Minute)
		b.clock.Advance(10 * time.Second)
		for range limit * 4 / 5 { // of another run
			b.answer(0, nil)
		}
		b.ok(4 * limit) // no stop
		refused := len(b.sleeps)
		if took := b.clock.Now().Sub(epoch); took > 8*time.Minute || refused > 9 {
			t.Errorf("%d a minute: %d requests took %v with %d refusals, want at most 8 minutes and 9", limit, 4*limit, took, refused)
		}
	}
}

// The refusals of requests that were under way together are one sign: they find
// no window, and slow down once.
func TestBurstIsOneSign(t *testing.T) {
	t.Parallel()
	p := named().withDefaults()
	l := newLane("", epoch, &p, 250, nil)
	sent := epoch.Add(time.Second)
	for range 4 {
		l.throttle(epoch.Add(2*time.Second), sent, sign{refusal: true})
	}
	if l.windows.streak != 1 || l.rate.interval != 1500 || !l.hold.IsZero() {
		t.Errorf("row %d, interval %v, hold %v; want one sign", l.windows.streak, l.rate.interval, l.hold)
	}
	for i := range 2 {
		sent = sent.Add(time.Minute)
		l.throttle(sent.Add(time.Second), sent, sign{refusal: true})
		if want := i == 1; l.hold.IsZero() == want {
			t.Errorf("refusal %d in a row: hold %v, want l.hold.IsZero() != want", i+2, l.hold)
		}
	}
}

// A window that is known is sat out for as long as the run has, and no longer:
// then the run ends with the moment at which it opens.
func TestKnownWindowIsSatOut(t *testing.T) {
	t.Parallel()
	p := named()
	p.Windows = []abi.ProviderWindow{{Requests: 30, PerMS: 900_000}}
	b := newBed(t, p, func(d *Deps) { d.Run = NewRunBudget(0, 40*time.Minute) })
	b.ok(60) // no stop
	b = newBed(t, p, func(d *Deps) { d.Run = NewRunBudget(0, 10*time.Minute) })
	b.ok(30)
	s := b.stopped()
	if opens := s.NextAttempt.Sub(epoch); s.Reason != abi.ReasonRateLimited || opens < 15*time.Minute || b.clock.Now().Sub(epoch) > 10*time.Minute {
		t.Errorf("got %s, next after %v; want rate_limited, 15 minutes or more", s.Reason, opens)
	}
}

// RT-26.1: a run starts just below a limit that is known, also when that is
// slower than the discovery interval, and takes the fill of its windows along.
func TestNextRunKnowsTheLimit(t *testing.T) {
	t.Parallel()
	first := newBed(t, named(), nil)
	silent(first, 20, time.Minute)
	first.ok(100)
	next := second(t, first, named(), 0)
	if got, want := next.interval(), perMinute/(recoverTo*20); got < 0.9*want || got > 1.2*want {
		t.Errorf("the next run starts at %v ms, want about %v", got, want)
	}
	silent(next, 20, time.Minute)
	next.ok(60)
	if n := len(next.sleeps); n > 1 {
		t.Errorf("the next run was refused %d times, want once at most", n)
	}

	p := named()
	p.Windows = []abi.ProviderWindow{{Requests: 10, PerMS: 3_600_000}}
	p.MaxInlineWaitMS = 1000
	full := newBed(t, p, nil)
	full.ok(8)
	again := second(t, full, p, 10*time.Minute)
	again.ok(2)
	s := again.stopped()
	if opens := s.NextAttempt.Sub(epoch); opens < time.Hour || opens > 66*time.Minute {
		t.Errorf("the window opens %v after the first run began, want an hour, or a twelfth more", opens)
	}
	later := second(t, again, p, 2*time.Hour)
	later.ok(10)
}

// second is a run after a pause, with what the first one left on a cursor.
func second(t *testing.T, first *bed, p Profile, pause time.Duration) *bed {
	t.Helper()
	cursor, err := first.g.Snapshot().Learned().Persist([]string{"items"}, "items", nil, first.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	b := newBed(t, p, nil)
	b.clock.Advance(first.clock.Now().Add(pause).Sub(epoch))
	deps := b.g.deps
	deps.Learned, deps.Run = Restore(cursor, b.clock.Now()), first.g.deps.Run
	if deps.Run != nil {
		deps.Run = NewRunBudget(0, 4*time.Hour)
	}
	if b.g, err = New(p, deps); err != nil {
		t.Fatal(err)
	}
	return b
}

// A window that is longer than what a run sits out ends it with the moment at
// which the shortest usual one would be over; runs after it know how many in how
// long, and meet no refusal.
func TestLongWindowIsLearned(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), func(d *Deps) { d.Run = NewRunBudget(0, 4*time.Hour) })
	var used []time.Time
	provider := func(int, *http.Request) says {
		now := b.clock.Now()
		used = slices.DeleteFunc(used, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
		if len(used) >= 200 {
			return throttled
		}
		used = append(used, now)
		return says{}
	}
	refused := func() (ended bool) {
		b.answer = provider
		for range 300 {
			if _, err := b.get("/"); err != nil {
				var s *Stop
				if !errors.As(err, &s) || s.Reason != abi.ReasonRateLimited {
					t.Fatalf("got %v, want rate_limited", err)
				}
				ended = true
			}
		}
		return ended
	}
	if !refused() {
		t.Error("the first run ended well, want a stop")
	}
	if w := b.g.general.quota.logged; len(w) != 1 || w[0].limit != 200 || w[0].per != 15*time.Minute {
		t.Fatalf("got %d windows, want one of 200 in 15 minutes", len(w))
	}
	b = second(t, b, named(), time.Hour)
	refused()
	if w := b.g.general.quota.logged; len(w) != 1 || w[0].limit != 200 || w[0].per != time.Hour {
		t.Fatalf("got %d windows, the first of %d in %v, want one of 200 in an hour", len(w), w[0].limit, w[0].per)
	}
	b = second(t, b, named(), time.Hour)
	if refused() || len(b.sleeps) > 0 {
		t.Errorf("the third run met %d refusals, want none", len(b.sleeps))
	}
}

// FuzzRestore feeds a cursor that a hostile guest wrote.
func FuzzRestore(f *testing.F) {
	f.Add([]byte(`{"pacing_interval_ms":500,"pacing_recorded_at_ms":1767225600000,"pacing_limit_per_min":20,"pacing_windows":[{"requests":200,"per_ms":3600000,"learned_at_ms":1767225600000,"fill":[0,1,2,3,4,5,6,7,8,9,10,11]}]}`))
	f.Add([]byte(`{"pacing_interval_ms":1e300,"pacing_recorded_at_ms":1767225600000,"pacing_windows":[{"requests":-1,"per_ms":1,"fill":[]}]}`))
	f.Fuzz(func(t *testing.T, cursor []byte) {
		learned := Restore(cursor, epoch)
		b := newBed(t, named(), func(d *Deps) { d.Learned = learned })
		s, now := b.g.Snapshot(), b.clock.Now()
		if s.IntervalMS < s.MinIntervalMS || s.IntervalMS > defaultMaxIntervalMS {
			t.Fatalf("interval %v, want s.IntervalMS >= s.MinIntervalMS && s.IntervalMS <= defaultMaxIntervalMS", s.IntervalMS)
		}
		if d := b.g.general.delay(now); d < 0 || d > longest {
			t.Fatalf("a delay of %v, want d >= 0 && d <= longest", d)
		}
		if _, err := b.g.Do(context.Background(), mustGet(t)); err != nil {
			var stop *Stop
			if !errors.As(err, &stop) || !stop.NextAttempt.After(now) {
				t.Fatalf("got %+v, want errors.As(err, &stop) && stop.NextAttempt.After(now)", err)
			}
		}
	})
}
