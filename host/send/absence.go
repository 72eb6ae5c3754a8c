package send

import (
	"net/http"
	"time"
)

// absence spaces the attempts at a service that is unavailable, so that the few
// attempts of one request outlast a short outage. It is a delay of the lane and not
// the sleep after a failure: the lane's requests wait for the same moment. Not safe
// for concurrent use.
type absence struct {
	answered bool // the lane received an answer in this run
	failures int  // consecutive; simultaneous requests count as one
	until    time.Time
}

// absenceGrowth is the factor by which the pause grows with each failure: with the
// default back-off the second pause is 16 s, and the third a minute.
const absenceGrowth = 4

// record records the result of one attempt. A single failure is not an outage, and a
// service that has never answered in this run is more likely unreachable than
// temporarily unavailable.
func (a *absence) record(now time.Time, got answer, base, limit time.Duration) {
	switch {
	case got.err == nil && !serviceUnavailable(got.status):
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

// serviceUnavailable reports whether a status blames the service, not the request.
func serviceUnavailable(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}
