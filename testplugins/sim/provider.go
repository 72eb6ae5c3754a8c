package sim

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Ban: so many refusals in a minute, and the account is locked.
const (
	banRefusals = 10
	banFor      = 15 * time.Minute
)

// provider is one simulated API. It is a transport: a request takes latency of
// the bubble's time.
type provider struct {
	shape   *shape
	mu      sync.Mutex // of the following
	random  *rand.Rand
	limit   limiter
	started time.Time
	changed bool
	refused []time.Time // of the last minute
	banned  time.Time   // until then
	lenient bool        // it counts bans and does not enforce them

	tally tally
}

// tally counts since it was last cleared.
type tally struct{ served, refused, failed, bans int }

func newProvider(s *shape, seed uint64) *provider {
	return &provider{
		shape: s, random: rand.New(rand.NewPCG(seed, 7)), //nolint:gosec // a simulation must repeat itself
		limit: s.limit(s.perMinute), started: time.Now().Add(-s.startsAt),
	}
}

// RoundTrip answers one request.
func (p *provider) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	spread := 0.8 + 0.4*p.random.Float64()
	p.mu.Unlock()
	time.Sleep(time.Duration(spread * float64(p.shape.latency)))
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	age := now.Sub(p.started)
	if p.shape.changeAt > 0 && !p.changed && age >= p.shape.changeAt {
		p.changed = true
		p.limit = p.shape.limit(p.shape.changeTo)
	}
	if every := p.shape.outageEvery; every > 0 && age%every >= every-p.shape.outage {
		p.tally.failed++
		return reply(req, http.StatusServiceUnavailable, "", nil), nil
	}
	if p.shape.failures > 0 && p.random.Float64() < p.shape.failures {
		p.tally.failed++
		return reply(req, http.StatusBadGateway, "", nil), nil
	}
	ok, wait, remaining := p.limit.take(now)
	if ok && (p.lenient || !now.Before(p.banned)) {
		p.tally.served++
		return reply(req, http.StatusOK, "", p.headers(now, wait, remaining, false)), nil
	}
	p.tally.refused++
	p.countRefusal(now)
	if !p.lenient {
		wait = max(wait, p.banned.Sub(now))
	}
	status, body := http.StatusTooManyRequests, ""
	switch {
	case p.shape.says503:
		status = http.StatusServiceUnavailable
	case p.shape.secondary:
		status, body = http.StatusForbidden, secondaryText
	}
	return reply(req, status, body, p.headers(now, wait, 0, true)), nil
}

func (p *provider) countRefusal(now time.Time) {
	recent := p.refused[:0]
	for _, t := range p.refused {
		if now.Sub(t) < time.Minute {
			recent = append(recent, t)
		}
	}
	p.refused = append(recent, now)
	if len(p.refused) >= banRefusals && !now.Before(p.banned) {
		p.tally.bans++
		p.banned = now.Add(banFor)
	}
}

// headers returns the provider's report of its quota, in its dialect.
func (p *provider) headers(now time.Time, wait time.Duration, remaining int, refused bool) http.Header {
	h := http.Header{"Date": {now.UTC().Format(http.TimeFormat)}}
	if refused && p.shape.retryAfter {
		h.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	}
	w, ok := p.limit.(*fixedWindow)
	if !ok {
		return h
	}
	end := w.began.Add(w.per)
	switch p.shape.tells {
	case "github":
		h.Set("X-Ratelimit-Limit", strconv.Itoa(w.size))
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(remaining))
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(end.Unix(), 10))
	case "discord":
		h.Set("X-Ratelimit-Limit", strconv.Itoa(w.size))
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(remaining))
		h.Set("X-Ratelimit-Reset-After", strconv.FormatFloat(end.Sub(now).Seconds(), 'f', 3, 64))
	case "reddit":
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(remaining)+".0")
		h.Set("X-Ratelimit-Reset", strconv.Itoa(int(end.Sub(now).Seconds())))
	case "strava":
		h.Set("X-Ratelimit-Limit", fmt.Sprintf("%d,%d", w.size, 100*w.size))
		h.Set("X-Ratelimit-Usage", fmt.Sprintf("%d,%d", w.used, w.used))
	}
	return h
}

func reply(req *http.Request, status int, body string, h http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}
}
