package sim

import "time"

// limiter is a provider's way to count. take reports whether a request at now is let
// through, how long until the next would be, and how many are left.
type limiter interface {
	take(now time.Time) (ok bool, wait time.Duration, remaining int)
}

// tokenBucket refills evenly, up to burst requests.
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

// fixedWindow counts from the top of each window, or from the first request after the
// one before.
type fixedWindow struct {
	size  int
	per   time.Duration
	first bool // a window begins with a request
	began time.Time
	used  int
}

func (w *fixedWindow) take(now time.Time) (bool, time.Duration, int) {
	top := now.Truncate(w.per)
	if w.first {
		top = w.began
		if now.Sub(w.began) >= w.per {
			top = now
		}
	}
	if !top.Equal(w.began) {
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
	size   int
	per    time.Duration
	strict bool // it counts refused requests, too
	times  []time.Time
}

func (w *slidingWindow) take(now time.Time) (bool, time.Duration, int) {
	for len(w.times) > 0 && now.Sub(w.times[0]) >= w.per {
		w.times = w.times[1:]
	}
	if len(w.times) < w.size {
		w.times = append(w.times, now)
		return true, 0, w.size - len(w.times)
	}
	if w.strict {
		w.times = append(w.times[1:], now)
	}
	return false, w.times[0].Add(w.per).Sub(now), 0
}
