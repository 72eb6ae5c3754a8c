package send

import (
	"testing"
	"time"
)

// RT-25: two refusals in a row may come from a bucket, so that the limit which the first one showed
// remains. The third shows a full window: no more requests passed in it than were counted.
func TestTheThirdRefusalShowsAFullWindow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a := newAdaptive(1000, 250, 60_000)
	const passed = 30
	for n := range passed {
		a.passed.Add(now.Add(time.Duration(n) * time.Second))
	}
	now = now.Add(passed * time.Second)
	a.throttle(now, sign{refusal: true, streak: 1})
	first := a.limit
	if first <= passed {
		t.Fatalf("got a limit of %v a minute after the first refusal, want one above the %d requests that passed", first, passed)
	}
	a.throttle(now, sign{refusal: true, streak: 2})
	if a.limit != first {
		t.Errorf("got a limit of %v a minute after the second refusal, want %v as after the first", a.limit, first)
	}
	a.throttle(now, sign{refusal: true, streak: windowRow})
	if a.limit != passed {
		t.Errorf("got a limit of %v a minute after refusal %d, want the %d requests that passed", a.limit, windowRow, passed)
	}
	now = now.Add(20 * time.Second) // some of what passed is more than a minute ago
	a.throttle(now.Add(30*time.Second), sign{refusal: true, streak: windowRow + 1})
	if a.limit != passed {
		t.Errorf("got a limit of %v a minute after refusal %d, want %d", a.limit, windowRow+1, passed)
	}
}
