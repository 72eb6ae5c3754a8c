package fair

import (
	"math"
	"sync"
	"time"
)

// Limiter bounds how often each may come. It is safe for concurrent use.
type Limiter[K comparable] struct {
	Rate, Burst float64 // times a second, and at once after a rest

	mu sync.Mutex
	by memory[K, bucket]
}

// rounding is what fractions of a second may lose in sum.
const rounding = 1e-9

// bucket is how much one has left.
type bucket struct {
	left float64
	at   time.Time // when it had so much
}

// wait returns how long it takes until so many are left, or 0 if they are.
func (b *bucket) wait(rate, burst, needed float64, now time.Time) time.Duration {
	b.left = min(burst, b.left+max(now.Sub(b.at), 0).Seconds()*rate)
	b.at = now
	if b.left < needed-rounding {
		return time.Duration(math.Ceil((needed - b.left) / rate * float64(time.Second)))
	}
	return 0
}

// Take counts one time, and returns how long its sender has to wait first: where that is not 0, nothing is counted.
func (l *Limiter[K]) Take(from K, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.by.of(from, bucket{l.Burst, now})
	wait := b.wait(l.Rate, l.Burst, 1, now)
	if wait == 0 {
		b.left--
	}
	return wait
}

// Wait is what Take would return, without counting anything.
func (l *Limiter[K]) Wait(from K, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.by.find(from)
	if b == nil {
		return 0
	}
	return b.wait(l.Rate, l.Burst, 1, now)
}

// Give takes back what Take has counted once.
func (l *Limiter[K]) Give(to K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.by.find(to); b != nil {
		b.left = min(b.left+1, l.Burst)
	}
}
