package send

import (
	"net/http"
	"time"
)

// absence spaces the attempts at a service that is away, so that the few of one
// request outlast a short outage. It is a delay of the lane and not the sleep
// after a failure: its requests wait for the same moment. Not safe for concurrent
// use.
type absence struct {
	answered bool // the lane had an answer in this run
	failures int  // in a row, those that were under way together as one
	until    time.Time
}

// absenceGrowth is by which factor the pause grows with each failure: at the
// default back-off the second one waits 16 s, and the third a minute.
const absenceGrowth = 4

// learn takes one attempt. One failure alone is no outage; and a service of which
// a run has seen nothing yet is more likely out of reach than away.
func (a *absence) learn(now time.Time, got answer, base, limit time.Duration) {
	switch {
	case got.err == nil && !away(got.status):
		*a = absence{answered: true}
	case !got.next.IsZero(), now.Before(a.until), got.err != nil && !a.answered:
	default:
		a.failures++
		pause := base
		for range a.failures {
			pause = min(limit, pause*absenceGrowth)
		}
		if a.failures > 1 {
			a.until = now.Add(pause)
		}
	}
}

// away reports whether a status says that the service, and not the request, is at
// fault.
func away(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}
