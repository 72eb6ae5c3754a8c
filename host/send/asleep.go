package send

import (
	"sync/atomic"
	"time"
)

// asleep counts the requests of a run that wait, to tell a run that only waits for the end of
// a pause from one that goes on.
type asleep struct {
	inside  atomic.Int64 // requests that have begun and not ended
	pausing atomic.Int64 // of those, the ones that sleep in a pause
	behind  atomic.Int64 // and the ones that wait behind another
}

// during calls sleep, which sleeps in a pause of that length; in none, where it is short.
func (a *asleep) during(pause time.Duration, sleep func() error) error {
	if pause >= shortestPause {
		a.pausing.Add(1)
		defer a.pausing.Add(-1)
	}
	return sleep()
}

// Asleep reports whether every request that is under way waits for the end of a pause, and none
// is at the provider or in the pace's line.
func (g *Governor) Asleep() bool {
	pausing := g.asleep.pausing.Load()
	return pausing > 0 && pausing+g.asleep.behind.Load() >= g.asleep.inside.Load()
}
