package pacing

import "time"

// Pacer is the Generic Cell Rate Algorithm (ITU-T I.371; PB-D2) as arithmetic: it
// computes waits and never waits. The interval is an argument, because it adapts. The
// theoretical arrival time is computed with the interval at the time of an admission
// and not stretched afterwards, so a Retry-After that was slept is not paid again
// (RT-21).
//
// Not safe for concurrent use.
type Pacer struct {
	Arrival   time.Time     // the theoretical arrival time (TAT)
	floor     time.Duration // the least time between two admissions
	tolerance time.Duration // as configured, negative if it was not; see slack
	paid      time.Duration // the interval of the last admission; 0: none

	// Burst is how many admissions a rest gives credit for, as long as the interval is the floor: a
	// provider that has refused nothing counts over a window that has room for them.
	Burst int64
}

// NewPacer returns a Pacer whose first admission waits one interval (PB-D4).
func NewPacer(now time.Time, interval, floor, tolerance time.Duration) Pacer {
	return Pacer{Arrival: now.Add(interval), floor: floor, tolerance: tolerance}
}

// slack is GCRA's L. It never exceeds interval-floor, so two requests after a pause
// are still floor apart; the first admission has none. By default it compensates
// lateness only: a provider with a small bucket refuses a burst at the ceiling's pace.
//
// It is measured against the interval with which arrival was computed: with a longer
// interval since then, the next request could come closer than floor.
func (p *Pacer) slack(interval time.Duration) time.Duration {
	if p.paid == 0 {
		return 0
	}
	if p.Burst > 1 && interval <= p.floor {
		return time.Duration(p.Burst-1) * p.floor
	}
	interval = min(interval, p.paid)
	tolerance := p.tolerance
	if tolerance < 0 {
		tolerance = interval / 4
	}
	return max(0, min(tolerance, interval-p.floor))
}

// Delay returns how long an admission requested at now has to wait.
func (p *Pacer) Delay(now time.Time, interval time.Duration) time.Duration {
	return max(0, p.Arrival.Add(-p.slack(interval)).Sub(now))
}

// Admit commits one admission at a time when Delay is zero. A pause leaves no credit
// beyond the slack: the arrival time restarts from now.
func (p *Pacer) Admit(now time.Time, interval time.Duration) {
	if p.Arrival.Before(now) {
		p.Arrival = now
	}
	p.Arrival = p.Arrival.Add(interval)
	p.paid = interval
}
