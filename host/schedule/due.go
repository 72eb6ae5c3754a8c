package schedule

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// jitterShare bounds jitter to this fraction of the interval. Jitter is only added, so
// an owner's interval is never shortened.
const jitterShare = 10

// Interval returns the time from the start of one run to the next due time, and the
// least time between two runs.
func Interval(s Setting, p *abi.RefreshPolicy) (every, minimum time.Duration) {
	every = defaultInterval
	if p != nil && p.MinimumIntervalSeconds != nil {
		minimum = seconds(*p.MinimumIntervalSeconds)
	}
	switch {
	case s.Every > 0:
		every = seconds(s.Every)
	case p != nil && p.RecommendedIntervalSeconds != nil:
		every = seconds(*p.RecommendedIntervalSeconds)
	}
	return max(every, minimum), minimum
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// DueInput holds the inputs of a due time.
type DueInput struct {
	Every, Minimum  time.Duration
	Started, Ended  time.Time // of the last run; zero: it never ran
	Jitter          float64   // 0 up to 1
	Backoff, Cooled time.Time // ends of the delays by failures and pressure; zero: none
}

// Due returns a connection's next due time: an interval after its last run began, at
// least the minimum after that run ended, and not before the later of back-off and
// cooldown. A connection that never ran is due now.
func Due(in DueInput, now time.Time) time.Time {
	due := now
	if !in.Ended.IsZero() {
		// If the clock was set back, the last run may be in the future.
		started, ended := earlier(in.Started, now), earlier(in.Ended, now)
		due = later(started.Add(in.Every+jitter(in.Every, in.Jitter)), ended.Add(in.Minimum))
	}
	return later(due, later(in.Backoff, in.Cooled))
}

func jitter(every time.Duration, share float64) time.Duration {
	return time.Duration(float64(every/jitterShare) * min(max(share, 0), 1))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
