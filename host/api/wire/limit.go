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

func (b *bucket) take(rate, burst float64, now time.Time) time.Duration {
	wait := b.wait(rate, burst, now)
	if wait == 0 {
		b.left--
	}
	return wait
}

// Limiter bounds what is asked, by who asks and in all (RD-57). It is safe for concurrent use.
type Limiter[K comparable] struct {
	Rate, Burst float64 // of one of them
	InAll       float64 // a second, and at once; 0: unbounded

	mu  sync.Mutex
	by  map[K]*bucket
	all *bucket
}

// mostRemembered bounds what is remembered. A sender who is forgotten has a whole burst again,
// and the limit of all of them holds still.
const mostRemembered = 4096

// Take counts a request, and returns how long its sender has to wait first; 0: not at all.
func (l *Limiter[K]) Take(from K, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.of(from, now).take(l.Rate, l.Burst, now); wait > 0 || l.InAll == 0 {
		return wait
	}
	if l.all == nil {
		l.all = &bucket{l.InAll, now}
	}
	return l.all.take(l.InAll, l.InAll, now)
}

// Wait is how long Take of one would have its sender wait, without counting anything.
func (l *Limiter[K]) Wait(from K, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by[from] == nil {
		return 0
	}
	return l.of(from, now).wait(l.Rate, l.Burst, now)
}

func (l *Limiter[K]) of(from K, now time.Time) *bucket {
	one := l.by[from]
	if one == nil {
		if l.by == nil || len(l.by) >= mostRemembered {
			l.by = map[K]*bucket{}
		}
		one = &bucket{l.Burst, now}
		l.by[from] = one
	}
	return one
}

// Budget bounds how much of something one may have in an hour. The last amount may go beyond
// it; the time of the rest is waited for then. It is safe for concurrent use.
type Budget[K comparable] struct {
	mu      sync.Mutex
	by      map[K]*bucket
	learned map[K]time.Time
}

// learnedEvery is how often it is learned anew what was had elsewhere.
const learnedEvery = time.Minute

// Due reports whether it is time to learn what one had within the last hour, in this process
// or in another, and counts it as learned.
func (b *Budget[K]) Due(of K, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, known := b.learned[of]; known && now.Sub(at) < learnedEvery {
		return false
	}
	if b.learned == nil || len(b.learned) >= mostRemembered {
		b.learned = map[K]time.Time{}
	}
	b.learned[of] = now
	return true
}

// Learn lowers what is left to one who may have so much in an hour by what was had within the
// last one, where this process knows of less.
func (b *Budget[K]) Learn(of K, most, had float64, now time.Time) {
	b.Spend(of, most, 0, now)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.by[of].left = min(b.by[of].left, most-had)
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
	if b.by == nil || len(b.by) >= mostRemembered {
		b.by = map[K]*bucket{}
	}
	if b.by[of] == nil {
		b.by[of] = &bucket{most, now}
	}
	b.by[of].wait(most/time.Hour.Seconds(), most, now)
	b.by[of].left -= amount
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

// TooMany refuses a request that comes too soon.
func TooMany(message string, wait time.Duration) *Failure {
	return &Failure{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: message, After: wait.Truncate(time.Second) + time.Second}
}
