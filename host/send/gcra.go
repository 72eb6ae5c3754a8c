package send

import "time"

// pacer is the Generic Cell Rate Algorithm (ITU-T I.371; PB-D2) as arithmetic:
// it says how long to wait and never waits. The interval is an argument,
// because it adapts; the theoretical arrival time is computed with the interval
// of the moment of an admission and not stretched afterwards, so that a
// Retry-After that was slept is not paid again (RT-21).
//
// Not safe for concurrent use.
type pacer struct {
	arrival   time.Time     // the theoretical arrival time (TAT)
	floor     time.Duration // no two admissions are closer than this
	tolerance time.Duration // as configured, below 0 when it was not; see slack
	paid      time.Duration // the interval of the last admission; 0: there was none
}

// newPacer returns a pacer whose first admission waits one interval (PB-D4).
func newPacer(now time.Time, interval, floor, tolerance time.Duration) pacer {
	return pacer{arrival: now.Add(interval), floor: floor, tolerance: tolerance}
}

// slack is GCRA's L. It is kept within interval-floor, so that a pair after a
// pause is still floor apart; the first admission has none. By default it makes
// up for lateness and no more: a burst at the ceiling's pace is what a provider
// with a small bucket refuses.
//
// It is measured against the interval that arrival was computed with: one that
// grew since would let the next request come closer than floor.
func (p *pacer) slack(interval time.Duration) time.Duration {
	if p.paid == 0 {
		return 0
	}
	interval = min(interval, p.paid)
	tolerance := p.tolerance
	if tolerance < 0 {
		tolerance = interval / 4
	}
	return max(0, min(tolerance, interval-p.floor))
}

// delay returns how long an admission asked for at now has to wait.
func (p *pacer) delay(now time.Time, interval time.Duration) time.Duration {
	return max(0, p.arrival.Add(-p.slack(interval)).Sub(now))
}

// admit commits one admission at a moment when delay is zero. A pause leaves no
// credit beyond the slack: the arrival time starts again from now.
func (p *pacer) admit(now time.Time, interval time.Duration) {
	if p.arrival.Before(now) {
		p.arrival = now
	}
	p.arrival = p.arrival.Add(interval)
	p.paid = interval
}
