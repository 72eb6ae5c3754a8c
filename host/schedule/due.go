package schedule

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// jitterShare is how much of the interval jitter may add at most: it is never
// taken away, so that an interval is what its owner reads.
const jitterShare = 10

// Interval is how long after one run the next is due, and the least that may lie
// between two.
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

// DueInput is what a due time is made of.
type DueInput struct {
	Every, Minimum  time.Duration
	Started, Ended  time.Time // of the last run; zero: it never ran
	Jitter          float64   // 0 up to 1
	Backoff, Cooled time.Time // until when failures and pressure put it off; zero: not
}

// Due returns when a connection is to run next: an interval after its last run
// began, no sooner than the minimum after that ended, and no sooner than
// back-off and cooldown allow, of which the later counts. A connection that
// never ran is due now.
func Due(in DueInput, now time.Time) time.Time {
	due := now
	if !in.Ended.IsZero() {
		// A clock that was put back makes the last run one of the future.
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
