package wire

import (
	"math"
	"net/http"
	"sync"
	"time"
)

// bucket lets so many requests come at once, and so many a second after that.
type bucket struct {
	left float64
	at   time.Time
}

// wait returns how long it takes until there is one more to take; 0: there is one.
func (b *bucket) wait(rate, burst float64, now time.Time) time.Duration {
	b.left = min(burst, b.left+now.Sub(b.at).Seconds()*rate)
	b.at = now
	if b.left < 1 {
		return time.Duration(math.Ceil((1 - b.left) / rate * float64(time.Second)))
	}
	return 0
}

// mostRemembered bounds of how many it is remembered what they had.
const mostRemembered = 4096

// Budget bounds how much of something one may have in an hour. The last amount may go beyond
// it; the time of the rest is waited for then. It is safe for concurrent use.
type Budget[K comparable] struct {
	mu sync.Mutex
	by map[K]*budget
}

// budget is what one has left, and what is known of the amounts that others gave it.
type budget struct {
	bucket

	looked time.Time // when it was last learned what was had elsewhere; zero: never
	own    float64   // that was had here, and was not among what was learned
}

// learnedEvery is how often it is learned anew what was had elsewhere.
const learnedEvery = time.Minute

// Due reports whether it is time to learn what one has had in other processes as well, and since
// when: within the last hour, or since it was learned last.
func (b *Budget[K]) Due(of K, now time.Time) (since time.Time, due bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.by[of]
	switch {
	case one == nil || one.looked.IsZero():
		return now.Add(-time.Hour), true
	case now.Sub(one.looked) < learnedEvery:
		return time.Time{}, false
	}
	return one.looked, true
}

// Learn takes from one who may have so much in an hour what was had elsewhere since a moment, one
// that Due has given: had is all of it, what this process gave included.
func (b *Budget[K]) Learn(of K, most, had float64, since, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.of(of, most, now)
	if !one.looked.IsZero() && !one.looked.Equal(since) {
		return // somebody else has learned it meanwhile
	}
	one.left = max(one.left-max(had-one.own, 0), -most) // an hour's wait at most
	one.looked, one.own = now, max(one.own-had, 0)      // what is still being given is learned of later
}

// Wait is how long one has to wait who may have so much in an hour; 0: not at all.
func (b *Budget[K]) Wait(of K, most float64, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by[of] == nil {
		return 0
	}
	return b.by[of].wait(most/time.Hour.Seconds(), most, now)
}

// Spend takes an amount from one who may have so much in an hour.
func (b *Budget[K]) Spend(of K, most, amount float64, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.of(of, most, now)
	one.left -= amount
	one.own += amount
}

// of returns what one has left now. The lock is held.
func (b *Budget[K]) of(of K, most float64, now time.Time) *budget {
	if b.by == nil || b.by[of] == nil && len(b.by) >= mostRemembered {
		b.by = map[K]*budget{}
	}
	if b.by[of] == nil {
		b.by[of] = &budget{bucket: bucket{most, now}}
	}
	b.by[of].wait(most/time.Hour.Seconds(), most, now)
	return b.by[of]
}

// Slots bounds how many requests of one run at once. It is safe for concurrent use.
type Slots[K comparable] struct {
	mu sync.Mutex
	by map[K]int
}

// Take counts a request; false: one has as many. Give ends it.
func (s *Slots[K]) Take(of K, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[of] >= most {
		return false
	}
	if s.by == nil {
		s.by = map[K]int{}
	}
	s.by[of]++
	return true
}

// Give ends a request.
func (s *Slots[K]) Give(of K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[of]--; s.by[of] == 0 {
		delete(s.by, of) // it holds only who is being answered
	}
}

// TooMany refuses a request that comes too soon, of whom most are allowed.
func TooMany(message string, most int, wait time.Duration) *Failure {
	return &Failure{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: message, After: wait.Truncate(time.Second) + time.Second, Most: most}
}
