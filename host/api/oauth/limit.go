package oauth

import (
	"math"
	"net/netip"
	"sync"
	"time"
)

// bucket lets so many requests come at once, and so many a second after that.
type bucket struct {
	left float64
	at   time.Time
}

func (b *bucket) take(rate, burst float64, now time.Time) (wait time.Duration) {
	b.left = min(burst, b.left+now.Sub(b.at).Seconds()*rate)
	b.at = now
	if b.left < 1 {
		return time.Duration(math.Ceil((1 - b.left) / rate * float64(time.Second)))
	}
	b.left--
	return 0
}

// limiter bounds what strangers ask, by address and in all (RD-57).
type limiter struct {
	rate, burst float64 // of one address
	inAll       float64 // a second, and at once; 0: unbounded

	mu  sync.Mutex
	by  map[netip.Prefix]*bucket
	all *bucket
}

// mostAddresses bounds what is remembered. An address that is forgotten has a whole burst
// again, and the limit of all of them holds still.
const mostAddresses = 4096

// take counts a request, and returns how long its sender has to wait first; 0: not at all.
func (l *limiter) take(from netip.Prefix, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil || len(l.by) >= mostAddresses {
		l.by = map[netip.Prefix]*bucket{}
	}
	one := l.by[from]
	if one == nil {
		one = &bucket{l.burst, now}
		l.by[from] = one
	}
	if wait := one.take(l.rate, l.burst, now); wait > 0 || l.inAll == 0 {
		return wait
	}
	if l.all == nil {
		l.all = &bucket{l.inAll, now}
	}
	return l.all.take(l.inAll, l.inAll, now)
}
