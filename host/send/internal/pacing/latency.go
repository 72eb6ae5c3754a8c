package pacing

import "time"

const (
	latencySettle  = 16 // successes before the usual latency is known
	latencyRecent  = 4  // answers behind the recent latency
	latencyUsual   = 64 // answers in which another latency becomes the usual one
	latencyFactor  = 4  // multiple of the usual latency that, plus latencyMargin, is a sign of pressure
	latencyMargin  = 500 * time.Millisecond
	latencyAtLeast = time.Millisecond
)

// Latency detects that a provider answers much more slowly than before, by which some
// throttle silently (PB-D2). A provider that is slow from the beginning gives no such
// sign. Not safe for concurrent use.
type Latency struct {
	usual, recent float64 // nanoseconds
	seen          int
}

// Add records the time of one successful answer, and reports whether it is a sign of
// pressure. After a sign several more slow answers are needed for the next.
func (l *Latency) Add(d time.Duration) bool {
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
