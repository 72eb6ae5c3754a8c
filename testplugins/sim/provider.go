package main

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send"
)

// limiter is how a provider counts. take reports whether a request at now is
// let through, how long until the next would be, and what is left.
type limiter interface {
	take(now time.Time) (ok bool, wait time.Duration, remaining int)
}

// Ban: so many throttles in a minute, and the account is locked.
const (
	banThrottles = 10
	banFor       = 15 * time.Minute
)

// clock is the time that a provider lives in: a send.VirtualClock, or that of a
// synctest bubble.
type clock interface {
	Now() time.Time
	Advance(d time.Duration)
}

var _ clock = (*send.VirtualClock)(nil)

// provider is one simulated API. It is a transport: a request takes latency of
// virtual time.
type provider struct {
	shape    *shape
	clock    clock
	mu       sync.Mutex // of what follows
	random   *rand.Rand
	limit    limiter
	started  time.Time
	changed  bool
	throttle []time.Time // of the last minute
	banned   time.Time   // until then
	lenient  bool        // it counts bans and does not enforce them

	tally tally
}

// tally counts since it was last cleared.
type tally struct{ served, refused, failed, bans int }

func newProvider(s *shape, clock clock, seed uint64) *provider {
	return &provider{
		shape: s, clock: clock, random: rand.New(rand.NewPCG(seed, 7)), //nolint:gosec // a simulation must repeat itself
		limit: s.limit(s.perMinute), started: clock.Now(),
	}
}

// RoundTrip answers one request.
func (p *provider) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	spread := 0.8 + 0.4*p.random.Float64()
	p.mu.Unlock()
	p.clock.Advance(time.Duration(spread * float64(p.shape.latency)))
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if p.shape.changeAt > 0 && !p.changed && now.Sub(p.started) >= p.shape.changeAt {
		p.changed = true
		p.limit = p.shape.limit(p.shape.changeTo)
	}
	if p.shape.failures > 0 && p.random.Float64() < p.shape.failures {
		p.tally.failed++
		return reply(req, http.StatusBadGateway, nil), nil
	}
	ok, wait, remaining := p.limit.take(now)
	if ok && (p.lenient || !now.Before(p.banned)) {
		p.tally.served++
		return reply(req, http.StatusOK, p.headers(now, wait, remaining, false)), nil
	}
	p.tally.refused++
	p.countThrottle(now)
	if !p.lenient {
		wait = max(wait, p.banned.Sub(now))
	}
	status := http.StatusTooManyRequests
	if p.shape.says503 {
		status = http.StatusServiceUnavailable
	}
	return reply(req, status, p.headers(now, wait, 0, true)), nil
}

func (p *provider) countThrottle(now time.Time) {
	keep := p.throttle[:0]
	for _, t := range p.throttle {
		if now.Sub(t) < time.Minute {
			keep = append(keep, t)
		}
	}
	p.throttle = append(keep, now)
	if len(p.throttle) >= banThrottles && !now.Before(p.banned) {
		p.tally.bans++
		p.banned = now.Add(banFor)
	}
}

func (p *provider) headers(now time.Time, wait time.Duration, remaining int, refused bool) http.Header {
	h := make(http.Header)
	seconds := strconv.Itoa(int((wait + time.Second - 1) / time.Second))
	if refused && p.shape.retryAfter {
		h.Set("Retry-After", seconds)
	}
	if w, ok := p.limit.(*fixedWindow); ok && p.shape.tellsQuota {
		h.Set("X-Ratelimit-Limit", strconv.Itoa(w.size))
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(remaining))
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(w.began.Add(w.per).Unix(), 10))
		h.Set("Date", now.UTC().Format(http.TimeFormat))
	}
	return h
}

func reply(req *http.Request, status int, h http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: h, Body: http.NoBody, Request: req}
}

// tokenBucket refills evenly and holds burst requests.
type tokenBucket struct {
	every  time.Duration
	burst  float64
	tokens float64
	last   time.Time
}

func (b *tokenBucket) take(now time.Time) (bool, time.Duration, int) {
	if b.last.IsZero() {
		b.tokens = b.burst
	} else {
		b.tokens = min(b.burst, b.tokens+float64(now.Sub(b.last))/float64(b.every))
	}
	b.last = now
	// A millionth forgives rounding: a request exactly on time is on time.
	if b.tokens >= 1-1e-6 {
		b.tokens--
		return true, 0, int(b.tokens)
	}
	return false, time.Duration((1 - b.tokens) * float64(b.every)), 0
}

// fixedWindow counts from the top of each window.
type fixedWindow struct {
	size  int
	per   time.Duration
	began time.Time
	used  int
}

func (w *fixedWindow) take(now time.Time) (bool, time.Duration, int) {
	if top := now.Truncate(w.per); !top.Equal(w.began) {
		w.began, w.used = top, 0
	}
	if w.used < w.size {
		w.used++
		return true, 0, w.size - w.used
	}
	return false, w.began.Add(w.per).Sub(now), 0
}

// slidingWindow counts over the span before each request.
type slidingWindow struct {
	size  int
	per   time.Duration
	times []time.Time
}

func (w *slidingWindow) take(now time.Time) (bool, time.Duration, int) {
	for len(w.times) > 0 && now.Sub(w.times[0]) >= w.per {
		w.times = w.times[1:]
	}
	if len(w.times) < w.size {
		w.times = append(w.times, now)
		return true, 0, w.size - len(w.times)
	}
	return false, w.times[0].Add(w.per).Sub(now), 0
}
