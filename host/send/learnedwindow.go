package send

import (
	"math"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/provider"
)

// fillSlots is the number of parts of a window in which its requests are counted for
// the next run. A request is released at the end of its part, so never too early.
const fillSlots = 12

// LearnedWindow is a window that a run passes to the next one: its size, and the
// requests of it that are used.
type LearnedWindow struct {
	Requests int64   `json:"requests"`
	PerMS    int64   `json:"per_ms"`
	Learned  int64   `json:"learned_at_ms,omitempty"` // time at which refusals revealed it; absent: the manifest documents it
	Fill     []int64 `json:"fill"`                    // requests in each twelfth of the window before the run's end, oldest first
}

// valid reports whether a window read from a cursor is well-formed and current.
func (w *LearnedWindow) valid(now time.Time) bool {
	sized := w.Requests >= 1 && w.Requests <= provider.MostRequests && w.PerMS >= 1 && w.PerMS <= provider.LongestMS && len(w.Fill) == fillSlots
	for _, n := range w.Fill {
		sized = sized && n >= 0 && n <= provider.MostRequests
	}
	// A window derived from refusals becomes outdated as quickly as a rate.
	age := now.Sub(time.UnixMilli(w.Learned))
	return sized && (w.Learned == 0 || age >= -skew && age <= Staleness)
}

// snapshot returns the windows to pass to the next run.
func (q *quota) snapshot(now time.Time) []LearnedWindow {
	var out []LearnedWindow
	for i := range q.logged {
		w := &q.logged[i]
		if !w.until.IsZero() {
			continue // the pace has the better model of it
		}
		k := LearnedWindow{Requests: int64(w.limit), PerMS: w.per.Milliseconds(), Fill: make([]int64, fillSlots)}
		if !w.learned.IsZero() {
			k.Learned = w.learned.UnixMilli()
		}
		for _, t := range w.times {
			if age := now.Sub(t); age < w.per {
				k.Fill[fillSlots-1-int(max(age, 0)*fillSlots/w.per)]++
			}
		}
		out = append(out, k)
	}
	return out
}

// windowOfLimit returns the known limit as a window of one minute.
func (a *adaptive) windowOfLimit(now time.Time) LearnedWindow {
	w := LearnedWindow{
		Requests: int64(math.Ceil(a.limit)), PerMS: time.Minute.Milliseconds(), Learned: now.UnixMilli(), Fill: make([]int64, fillSlots),
	}
	later := 0
	for i := range fillSlots {
		n := a.passed.Within(now, time.Duration(i+1)*time.Minute/fillSlots)
		w.Fill[fillSlots-1-i] = int64(n - later)
		later = n
	}
	return w
}

// restore adopts the windows of a run that ended at ended: the fill of documented
// windows, and the windows that the run learned. A learned window of a minute or two
// counts only until it is over, since the learned limit of the pace is the better
// model of it.
func (q *quota) restore(now, ended time.Time, windows []LearnedWindow) {
	for i := range windows {
		k := &windows[i]
		per := ms(k.PerMS)
		w := loggedWindow{limit: int(k.Requests), per: per}
		switch at := q.documented(w); {
		case at != nil:
			at.refill(now, ended, k.Fill)
			continue
		case k.Learned == 0: // the manifest no longer documents it
			continue
		}
		w.learned = time.UnixMilli(k.Learned)
		if per <= shortWindow {
			w.until = now.Add(per)
		}
		w.refill(now, ended, k.Fill)
		q.logged = append(q.logged, w)
	}
}

// documented returns the manifest's window with the same size as w.
func (q *quota) documented(w loggedWindow) *loggedWindow {
	for i := range q.logged {
		if l := &q.logged[i]; l.learned.IsZero() && l.limit == w.limit && l.per == w.per {
			return l
		}
	}
	return nil
}

// refill admits the requests of a fill that are still inside the window at now.
func (w *loggedWindow) refill(now, ended time.Time, fill []int64) {
	for i, n := range fill {
		at := ended.Add(-w.per * time.Duration(fillSlots-1-i) / fillSlots)
		if at = earlier(at, now); now.Sub(at) >= w.per {
			continue
		}
		for range min(n, int64(w.limit)) {
			w.admit(at)
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
