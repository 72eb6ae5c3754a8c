package send

import (
	"net/http"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

const (
	// shortWindow is the longest window whose requests are spread evenly from its
	// beginning, which costs a short run at most a minute. In a window of an hour or a
	// day a run uses its learned pace until a quarter is left, because most runs need
	// less than that; the rest is spread.
	shortWindow = 2 * time.Minute
	lowShare    = 4
	lowCount    = 10 // used if the header gives no limit
	// maxSpread bounds the spacing, so that the last of a day's quota can be used.
	maxSpread   = time.Minute
	maxReported = 2 * ratelimit.MaxWindows // windows from headers that are kept
	// rounded is added to the reported end of a window: many providers cut off the
	// fraction of a second.
	rounded = time.Second
)

// quota is a delay for the pacing: the windows that the provider reports in its
// headers or documents. Not safe for concurrent use.
type quota struct {
	reported      []ratelimit.Window
	logged        []loggedWindow
	last          time.Time     // the last admission
	credible      time.Duration // the longest credible time until a window's end
	sawIncredible bool          // a longer one was seen
}

func newQuota(windows []abi.ProviderWindow) quota {
	q := quota{credible: longestBelieved}
	for _, w := range windows {
		q.credible = max(q.credible, ms(w.PerMS))
		q.logged = append(q.logged, loggedWindow{limit: int(w.Requests), per: ms(w.PerMS)})
	}
	return q
}

// readHeaders reads the headers of an answer that came at now. next is the answer's
// Retry-After: for an exhausted window it is the more exact end, and waiting longer
// would be wrong (RT-21.1). doubted reports the lane's first answer with an incredible
// end.
func (q *quota) readHeaders(now time.Time, h http.Header, next time.Time) (doubted bool) {
	windows, disbelieved := ratelimit.Windows(now, h, q.credible)
	doubted = disbelieved && !q.sawIncredible
	q.sawIncredible = q.sawIncredible || disbelieved
	for _, w := range windows {
		switch {
		case w.Remaining > 0:
		case !next.IsZero():
			w.Reset = next
		default:
			w.Reset = w.Reset.Add(rounded)
		}
		i := slices.IndexFunc(q.reported, func(t ratelimit.Window) bool { return t.Name == w.Name })
		if i < 0 {
			if len(q.reported) >= maxReported { // bounds memory against names that change
				q.reported = slices.DeleteFunc(q.reported, func(t ratelimit.Window) bool { return !t.Reset.After(now) })
			}
			if len(q.reported) < maxReported {
				q.reported = append(q.reported, w)
			}
			continue
		}
		// Answers may overtake each other: within one window the remaining count never
		// grows. A difference of a second in reset is rounding.
		if old := q.reported[i]; w.Reset.Sub(old.Reset) <= time.Second && now.Before(old.Reset) {
			w.Remaining = min(w.Remaining, old.Remaining)
		}
		q.reported[i] = w
	}
	return doubted
}

// delay returns how long the next request has to wait for its quota.
func (q *quota) delay(now time.Time) time.Duration {
	var d time.Duration
	for i := range q.reported {
		d = max(d, reportedDelay(&q.reported[i], now, q.last))
	}
	for i := range q.logged {
		d = max(d, q.logged[i].delay(now, q.last))
	}
	return d
}

// exhausted returns how long a window stays exhausted. The provider asks for that
// wait, but not for the spacing of the requests that are left.
func (q *quota) exhausted(now time.Time) time.Duration {
	var d time.Duration
	for i := range q.reported {
		if q.reported[i].Remaining <= 0 {
			d = max(d, q.reported[i].Reset.Sub(now))
		}
	}
	for i := range q.logged {
		d = max(d, q.logged[i].full(now))
	}
	return d
}

// replaceDerived stores a window that was derived from refusals. It replaces an earlier derived
// window.
func (q *quota) replaceDerived(now time.Time, w abi.ProviderWindow) {
	q.logged = slices.DeleteFunc(q.logged, func(l loggedWindow) bool { return !l.learned.IsZero() })
	q.logged = append(q.logged, loggedWindow{limit: int(w.Requests), per: ms(w.PerMS), learned: now})
}

// admit counts one request.
func (q *quota) admit(now time.Time) {
	for i := range q.reported {
		q.reported[i].Remaining = max(0, q.reported[i].Remaining-1)
	}
	q.logged = slices.DeleteFunc(q.logged, func(w loggedWindow) bool { return !w.until.IsZero() && !now.Before(w.until) })
	for i := range q.logged {
		q.logged[i].admit(now)
	}
	q.last = now
}

// reportedDelay returns how long the next request has to wait for a window from an
// answer's headers. last is the time of the last request.
func reportedDelay(w *ratelimit.Window, now, last time.Time) time.Duration {
	left := w.Reset.Sub(now)
	switch {
	case left <= 0:
		return 0
	case w.Remaining <= 0:
		return left
	}
	low := w.Remaining*lowShare <= w.Limit
	if w.Limit == 0 {
		low = w.Remaining < lowCount
	}
	length := w.Per
	if length == 0 {
		length = left
	}
	if length > shortWindow && !low || last.IsZero() {
		return 0
	}
	d := min(left, spread(now, last, left, w.Remaining))
	if w.Guessed && w.Limit > 0 { // no slower than what the whole window allows
		d = min(d, max(0, last.Add(w.Per/time.Duration(w.Limit)).Sub(now)))
	}
	return d
}

// spread spaces n requests over left, counted from the last one.
func spread(now, last time.Time, left time.Duration, n int64) time.Duration {
	// The divided span includes the time since the last admission.
	spacing := min((left+now.Sub(last))/time.Duration(n+1), maxSpread)
	return max(0, last.Add(spacing).Sub(now))
}

// loggedWindow is a window with a log: at most limit admissions in any span of per. A
// ring holds the times of the last limit admissions.
type loggedWindow struct {
	limit   int
	per     time.Duration
	learned time.Time // time at which a refusal revealed it; zero: documented
	until   time.Time // counted until then; zero: for ever
	times   []time.Time
	next    int // the oldest entry, once the ring is full
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

// full returns how long the window stays full; zero or less: it is not.
func (w *loggedWindow) full(now time.Time) time.Duration {
	if len(w.times) < w.limit {
		return 0
	}
	return w.times[w.next].Add(w.per).Sub(now)
}

// recent returns the number of admissions in the last per.
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
