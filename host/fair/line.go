package fair

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Line gives turns of something that all share. The one that had least of late is next, and of two that had as much the
// one that came first. Half of what may be had at once is kept for those that had nothing, half of the rest for those
// that had one turn, and half of that for those that had two: many that come again and again leave a turn to one that
// comes for the first time. Every eighth turn goes to one that had some already, so that ever new ones do not keep it out.
//
// It is safe for concurrent use, and is not copied once it is used.
type Line[K comparable] struct {
	Rate, Burst float64       // turns a second, and at once after a rest; Rate 0: any number
	AtOnce      int           // turns that run at a time; 0: any number
	Patience    time.Duration // how long one waits for a turn
	Memory      time.Duration // in which what one had fades to a third

	mu      sync.Mutex
	now     func() time.Time
	tokens  bucket
	served  int // turns that were given
	running int
	had     memory[K, had]
	waiting []*turn[K]
	alarm   *time.Timer // when there is a turn again, or nil if no one waits for it
	rings   time.Time   // when alarm does, if it is not nil
}

// had is what one had of late, the turns that it waits for included.
type had struct {
	turns float64
	at    time.Time // when it was so much
	since time.Time // when it came that has had no turn since; zero: it has had one
}

// turn is one that waits.
type turn[K comparable] struct {
	from  K
	had   int       // turns, before this one; from it follows what it leaves to others
	since time.Time // when it came
	ready chan struct{}
	given bool // ready was closed: with a turn, or with none
}

const (
	// mostWaiting bounds how many wait in one line.
	mostWaiting = 256
	// mostHalves is after how many turns no less is left to one.
	mostHalves = 3
	// placeKept is how long one keeps its place that went away without a turn.
	placeKept = time.Minute
)

// Enter waits for a turn. It returns leave, to be called once when the turn is over, or how long to wait before
// coming again, or the error of ctx. The clock is asked as long as anybody waits.
func (l *Line[K]) Enter(ctx context.Context, from K, now func() time.Time) (leave func(), wait time.Duration, err error) {
	t := l.join(from, now)
	patience := time.NewTimer(l.Patience)
	defer patience.Stop()
	select {
	case <-t.ready:
	case <-patience.C:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if wait := l.quit(t); wait > 0 {
		if err != nil {
			wait = 0
		}
		return nil, wait, err
	}
	return sync.OnceFunc(l.leave), 0, nil
}

// Forgive takes back the turn that one has, as if it had not come: what came of it costs nobody anything. It is called
// before leave.
func (l *Line[K]) Forgive(from K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(from)
	l.tokens.left = min(l.tokens.left+1, l.Burst)
}

// forget takes back a turn that one waited for.
func (l *Line[K]) forget(from K) {
	if h := l.had.find(from); h != nil {
		h.turns = max(h.turns-1, 0)
	}
}

// join stands in the line, and gives the turns that there are.
func (l *Line[K]) join(from K, now func() time.Time) *turn[K] {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = now
	at := now()
	h := l.had.of(from, had{at: at})
	h.turns *= math.Exp(-float64(max(at.Sub(h.at), 0)) / float64(max(l.Memory, 1)))
	h.at = at
	if h.since.IsZero() || at.Sub(h.since) > placeKept {
		h.since = at
	}
	t := &turn[K]{from: from, had: int(math.Round(h.turns)), since: h.since, ready: make(chan struct{})}
	h.turns++
	l.waiting = append(l.waiting, t)
	l.serve()
	if len(l.waiting) > mostWaiting {
		last := l.last()
		close(last.ready)
		l.drop(last)
	}
	return t
}

// compare is negative if t is before o.
func (t *turn[K]) compare(o *turn[K]) int {
	if t.had != o.had {
		return t.had - o.had
	}
	return t.since.Compare(o.since)
}

// serve gives the turns that there are. The lock is held.
func (l *Line[K]) serve() {
	for len(l.waiting) > 0 && (l.AtOnce == 0 || l.running < l.AtOnce) {
		next, needs := l.next()
		if wait := l.until(needs); wait > 0 { // and nobody else needs fewer
			l.wake(wait)
			return
		}
		l.served++
		l.waiting = slices.DeleteFunc(l.waiting, func(t *turn[K]) bool { return t == next })
		l.tokens.left--
		l.running++
		next.given = true
		if h := l.had.find(next.from); h != nil {
			h.since = time.Time{}
		}
		close(next.ready)
	}
}

// last returns who is sent away from a line that is too long: of those that had turns one as long as they are more than a
// eighth of it.
func (l *Line[K]) last() (last *turn[K]) {
	others := 0
	for _, t := range l.waiting {
		if t.had > 0 {
			others++
		}
	}
	for _, t := range l.waiting {
		if others*eighth <= len(l.waiting) && t.had > 0 && others < len(l.waiting) {
			continue
		}
		if last == nil || t.compare(last) > 0 {
			last = t
		}
	}
	return last
}

// eighth is how often one is next that had turns already.
const eighth = 8

// next returns who is next, and after how many turns no less is left to it.
func (l *Line[K]) next() (next *turn[K], had int) {
	next = slices.MinFunc(l.waiting, (*turn[K]).compare)
	if next.had > 0 || l.served%eighth != eighth-1 {
		return next, next.had
	}
	var other *turn[K]
	for _, t := range l.waiting {
		if t.had > 0 && (other == nil || t.compare(other) < 0) {
			other = t
		}
	}
	if other == nil {
		return next, next.had
	}
	return other, 0
}

// until is how long it takes until there is a turn for one that had so many.
func (l *Line[K]) until(had int) time.Duration {
	if l.Rate == 0 {
		return 0
	}
	now := l.now()
	if l.tokens.at.IsZero() {
		l.tokens = bucket{l.Burst, now}
	}
	kept := min(l.Burst*(1-math.Exp2(-float64(min(had, mostHalves)))), l.Burst-1)
	return l.tokens.wait(l.Rate, l.Burst, 1+kept, now)
}

// wake has serve be called again: then, or earlier if somebody waits for an earlier turn.
func (l *Line[K]) wake(after time.Duration) {
	rings := l.now().Add(after)
	if l.alarm != nil {
		if rings.Before(l.rings) {
			l.rings = rings
			l.alarm.Reset(after)
		}
		return
	}
	l.rings = rings
	l.alarm = time.AfterFunc(after, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.alarm = nil
		l.serve()
	})
}

// quit goes away from the line: with a turn, which is 0, or with how long to stay away.
func (l *Line[K]) quit(t *turn[K]) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.given {
		return 0
	}
	ahead := len(l.waiting)
	l.drop(t)
	wait := time.Second
	if l.Rate > 0 {
		wait = max(wait, time.Duration(min(float64(ahead)/l.Rate, placeKept.Seconds())*float64(time.Second)))
	}
	if len(l.waiting) == 0 && l.alarm != nil {
		l.alarm.Stop()
		l.alarm = nil
	}
	return min(wait, placeKept/2)
}

// drop takes one out of the line, if it is in it.
func (l *Line[K]) drop(t *turn[K]) {
	i := slices.Index(l.waiting, t)
	if i < 0 {
		return
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.forget(t.from)
}

func (l *Line[K]) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.serve()
}
