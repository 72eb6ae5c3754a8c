package send

import (
	"slices"
	"time"
)

// line is the queue of a lane's requests, in the order in which they first asked: a
// refused request keeps its place. Guarded by the governor's mutex.
type line struct {
	places []*place // ordered by number
	last   int64
}

// place is one request's place in a line.
type place struct {
	number  int64
	from    time.Time     // not at the head before this time, the request's Retry-After
	ready   chan struct{} // holds a token once the line has moved
	waiting bool
}

// join puts a request in line, a new one at the end. It does not reach the head before
// from.
func (l *line) join(p *place, from time.Time) {
	if p.number == 0 {
		l.last++
		p.number, p.ready = l.last, make(chan struct{}, 1)
	}
	if p.from = from; p.waiting {
		return
	}
	p.waiting = true
	at, _ := slices.BinarySearchFunc(l.places, p, func(a, b *place) int { return int(a.number - b.number) })
	l.places = slices.Insert(l.places, at, p)
}

// leave removes a request from the line and wakes the others.
func (l *line) leave(p *place) {
	if !p.waiting {
		return
	}
	p.waiting = false
	l.places = slices.DeleteFunc(l.places, func(q *place) bool { return q == p })
	l.wake()
}

// wake makes everybody in line check again whether they are at its head. It is called
// when a place is removed, and when the head has waited for a time at which another
// request comes first.
func (l *line) wake() {
	for _, p := range l.places {
		select {
		case p.ready <- struct{}{}:
		default:
		}
	}
}

// isHead reports whether p is the first in line at now.
func (l *line) isHead(p *place, now time.Time) bool {
	for _, q := range l.places {
		if !q.from.After(now) {
			return q == p
		}
	}
	return false
}
