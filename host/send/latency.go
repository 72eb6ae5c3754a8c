package send

import "time"

const (
	latencySettle  = 16 // successes before there is a usual latency
	latencyRecent  = 4  // answers that the recent latency is about
	latencyUsual   = 64 // answers in which another latency becomes the usual one
	latencyFactor  = 4  // of the usual latency, and latencyMargin more, is a sign of pressure
	latencyMargin  = 500 * time.Millisecond
	latencyAtLeast = time.Millisecond
)

// latency notices that a provider answers much more slowly than it did, which
// is how some throttle without a word (PB-D2). A provider that is slow from the
// beginning is no such sign. Not safe for concurrent use.
type latency struct {
	usual, recent float64 // nanoseconds
	seen          int
}

// add takes the time of one successful answer, and reports whether it is such a
// sign. After one it takes several more slow answers until the next.
func (l *latency) add(d time.Duration) bool {
	x := float64(max(d, latencyAtLeast))
	l.seen++
	l.recent += (x - l.recent) / latencyRecent
	if l.seen <= latencySettle {
		l.usual += (x - l.usual) / float64(l.seen)
		l.recent = l.usual
		return false
	}
	elevated := l.recent > latencyFactor*l.usual+float64(latencyMargin)
	l.usual += (x - l.usual) / latencyUsual
	if elevated {
		l.recent = l.usual
	}
	return elevated
}
