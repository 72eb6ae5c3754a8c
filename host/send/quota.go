package send

import (
	"net/http"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	// shortWindow is the longest window whose requests are spread evenly from
	// its beginning: a short run loses a minute at most. In an hour's or a day's
	// window a run goes at its learned pace until a quarter is left, because most
	// runs need less than that; the rest is spread.
	shortWindow = 2 * time.Minute
	lowShare    = 4
	lowCount    = 10 // where the header names no limit
	// maxSpread bounds the spacing, so that the last of a day's quota can be used.
	maxSpread = time.Minute
	mostTold  = 2 * maxTold // windows of the headers that are kept
	// rounded is by how much a window may end later than it tells: many cut the
	// fraction of a second off.
	rounded = time.Second
)

// quota is what the provider says of its windows, in its headers or its
// documentation, as one more delay for the pacing. Not safe for concurrent use.
type quota struct {
	told     []toldWindow
	logged   []loggedWindow
	last     time.Time     // of the last admission
	believed time.Duration // how far away the end of a window may be told
	doubted  bool          // one was further away
}

// toldWindow is a window of the RateLimit headers.
type toldWindow struct {
	quotaHeader

	reset   time.Time
	guessed bool // the answer does not say when it ends: no later than reset
}

func newQuota(windows []abi.ProviderWindow) quota {
	q := quota{believed: longestBelieved}
	for _, w := range windows {
		q.believed = max(q.believed, ms(w.PerMS))
		q.logged = append(q.logged, loggedWindow{limit: int(w.Requests), per: ms(w.PerMS)})
	}
	return q
}

// learn takes the headers of an answer that came at now. next is the moment of
// its Retry-After: for a window that is used up it is the truer end, and
// waiting longer would not be exact (RT-21.1). doubted says that the answer is the
// first of the lane with an end that is not believed.
func (q *quota) learn(now time.Time, h http.Header, next time.Time) (doubted bool) {
	windows, disbelieved := readQuota(now, h, q.believed)
	doubted = disbelieved && !q.doubted
	q.doubted = q.doubted || disbelieved
	for _, w := range windows {
		switch {
		case w.remaining > 0:
		case !next.IsZero():
			w.reset = next
		default:
			w.reset = w.reset.Add(rounded)
		}
		i := slices.IndexFunc(q.told, func(t toldWindow) bool { return t.name == w.name })
		if i < 0 {
			if len(q.told) >= mostTold { // names that come and go are no reason to keep them all
				q.told = slices.DeleteFunc(q.told, func(t toldWindow) bool { return !t.reset.After(now) })
			}
			if len(q.told) < mostTold {
				q.told = append(q.told, w)
			}
			continue
		}
		// Answers may overtake each other: within one window what is left never
		// grows. A second's difference of reset is rounding.
		if old := q.told[i]; w.reset.Sub(old.reset) <= time.Second && now.Before(old.reset) {
			w.remaining = min(w.remaining, old.remaining)
		}
		q.told[i] = w
	}
	return doubted
}

// delay returns how long the next request has to wait for its quota.
func (q *quota) delay(now time.Time) time.Duration {
	var d time.Duration
	for i := range q.told {
		d = max(d, q.told[i].delay(now, q.last))
	}
	for i := range q.logged {
		d = max(d, q.logged[i].delay(now, q.last))
	}
	return d
}

// exhausted returns how long nothing is left of a window: that, and not the
// spacing of what is left, is what the provider asks for.
func (q *quota) exhausted(now time.Time) time.Duration {
	var d time.Duration
	for i := range q.told {
		if q.told[i].remaining <= 0 {
			d = max(d, q.told[i].reset.Sub(now))
		}
	}
	for i := range q.logged {
		d = max(d, q.logged[i].full(now))
	}
	return d
}

// found keeps a window that was learned from refusals, in the place of one of
// another length.
func (q *quota) found(now time.Time, w abi.ProviderWindow) {
	q.logged = slices.DeleteFunc(q.logged, func(l loggedWindow) bool { return !l.learned.IsZero() })
	q.logged = append(q.logged, loggedWindow{limit: int(w.Requests), per: ms(w.PerMS), learned: now})
}

// admit counts one request.
func (q *quota) admit(now time.Time) {
	for i := range q.told {
		q.told[i].remaining = max(0, q.told[i].remaining-1)
	}
	q.logged = slices.DeleteFunc(q.logged, func(w loggedWindow) bool { return !w.until.IsZero() && !now.Before(w.until) })
	for i := range q.logged {
		q.logged[i].admit(now)
	}
	q.last = now
}

func (w *toldWindow) delay(now, last time.Time) time.Duration {
	left := w.reset.Sub(now)
	switch {
	case left <= 0:
		return 0
	case w.remaining <= 0:
		return left
	}
	low := w.remaining*lowShare <= w.limit
	if w.limit == 0 {
		low = w.remaining < lowCount
	}
	length := w.per
	if length == 0 {
		length = left
	}
	if length > shortWindow && !low || last.IsZero() {
		return 0
	}
	d := min(left, spread(now, last, left, w.remaining))
	if w.guessed && w.limit > 0 { // no slower than what the whole window allows
		d = min(d, max(0, last.Add(w.per/time.Duration(w.limit)).Sub(now)))
	}
	return d
}

// spread spaces n requests over left, counted from the last one.
func spread(now, last time.Time, left time.Duration, n int64) time.Duration {
	// The time since the last admission belongs to the span that is divided.
	spacing := min((left+now.Sub(last))/time.Duration(n+1), maxSpread)
	return max(0, last.Add(spacing).Sub(now))
}

// loggedWindow is a documented window: at most limit admissions in any span of
// per. It keeps the times of the last limit admissions in a ring.
type loggedWindow struct {
	limit   int
	per     time.Duration
	learned time.Time // when a refusal showed it; zero: it is documented
	until   time.Time // not counted any more from then on; zero: for ever
	times   []time.Time
	next    int // the oldest, once the ring is full
}

func (w *loggedWindow) delay(now, last time.Time) time.Duration {
	if full := w.full(now); full > 0 {
		return full
	}
	recent := w.recent(now)
	remaining := w.limit - recent
	if last.IsZero() || recent == 0 || w.per > shortWindow && remaining*lowShare > w.limit {
		return 0
	}
	return max(0, last.Add(min(w.per/time.Duration(w.limit), maxSpread)).Sub(now))
}

// full returns how long the window has no room; zero or less: it has.
func (w *loggedWindow) full(now time.Time) time.Duration {
	if len(w.times) < w.limit {
		return 0
	}
	return w.times[w.next].Add(w.per).Sub(now)
}

// recent counts the admissions of the last per.
func (w *loggedWindow) recent(now time.Time) int {
	since := now.Add(-w.per)
	n := len(w.times)
	oldest := func(i int) time.Time {
		if n < w.limit {
			return w.times[i]
		}
		return w.times[(w.next+i)%n]
	}
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; oldest(mid).After(since) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return n - lo
}

func (w *loggedWindow) admit(now time.Time) {
	if len(w.times) < w.limit {
		w.times = append(w.times, now)
		return
	}
	w.times[w.next] = now
	w.next = (w.next + 1) % w.limit
}
