package api

import (
	"net/netip"
	"sync"
	"time"
)

// How many codes may be tried in vain. A code has 256 bits, so that this bounds
// what trying costs the host and not the luck of who tries.
const (
	attemptsEvery     = time.Minute
	attemptsOfAddress = 10
	attemptsInAll     = 100
)

// attempts counts enrollments that failed, by window of time. attemptsInAll bounds its size.
type attempts struct {
	now func() time.Time

	mu    sync.Mutex
	since time.Time
	all   int
	by    map[netip.Prefix]int
}

// take counts an attempt before it is made, so that many at once are bounded too.
// wait is how long to leave it when there were too many.
func (t *attempts) take(from netip.Prefix) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if age := now.Sub(t.since); age < 0 || age >= attemptsEvery {
		t.since, t.all, t.by = now, 0, map[netip.Prefix]int{}
	}
	if t.all >= attemptsInAll || t.by[from] >= attemptsOfAddress {
		return max(t.since.Add(attemptsEvery).Sub(now), time.Second), false
	}
	t.all++
	t.by[from]++
	return 0, true
}

// forgive takes an attempt back that was none in vain.
func (t *attempts) forgive(from netip.Prefix) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[from] > 0 { // else its window has passed
		t.by[from]--
		t.all--
	}
}
