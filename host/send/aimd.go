package send

import (
	"math"
	"time"
)

// How the rate moves. The first two are the Collection Profile reference's; the
// others decide how closely a known limit is approached and come from the
// simulation (make sim).
const (
	discoveryStep = 0.1  // the first success shortens the discovery interval by a tenth
	backoffFactor = 1.5  // a throttle lengthens the interval by this
	perMinute     = 60e3 // milliseconds in the unit of rates, requests a minute
	recoverTo     = 0.97 // of the rate at which the provider refused
	recoverIn     = 8    // successes
	doubtAfter    = 1.06 // of the same rate: the limit must have grown
	creepSteps    = 600  // successes from recoverTo to doubtAfter, once the limit is sure
	creepMinutes  = 2    // and at least so long
	creepPauses   = 40   // and so many times the pause that a refusal costs
	longPause     = 10   // intervals: no bucket asks for so many
	windowRow     = 3    // refusals without a success between them
	searchStep    = 0.4  // requests a minute; at any rate that adds 40 % in a minute
	sureWithin    = 1.25 // of what was let through: a refusal there is at the limit
	sameLimit     = 1.1  // of the limit before: two windows that let the same through
	slowestFactor = 0.1  // what was let through counts down to this share of the rate
)

// The reasons of a back-off (contract, section 3.5).
const (
	BackoffRetryAfter = "retry_after"
	BackoffThrottle   = "throttle"
)

// Backoff is the last time that a throttle made the interval longer.
type Backoff struct {
	AtIntervalMS float64 `json:"at_interval_ms"` // the interval that it led to
	Reason       string  `json:"reason"`         // retry_after or throttle
}

// adaptive is AIMD on the interval, in rate space (RT-25, PB-D2): a success
// adds to the rate, a throttle divides it, and nothing else moves it (PB-D3).
// The reference's constant step refuses one request in a dozen once the limit
// is found, so a refusal is remembered: the rate comes back quickly to just
// below it and then creeps.
//
// Rates are in requests a minute, intervals in milliseconds. Not safe for
// concurrent use.
type adaptive struct {
	interval, floor, initial, ceiling float64

	limit  float64 // the rate at which the provider refused; 0: none known
	target float64 // the rate to come back to after a back-off
	climb  float64 // the rate added by a success below target
	sure   bool    // the rate and what was let through agreed at the refusal
	known  bool    // there was a refusal
	vague  bool    // limit is the rate at the first refusal and nothing more
	pause  float64 // minutes that the last refusal asked for
	passed meter
	last   *Backoff
}

func newAdaptive(initial, floor, ceiling float64) adaptive {
	initial = max(initial, floor)
	return adaptive{interval: initial, floor: floor, initial: initial, ceiling: max(ceiling, initial)}
}

// restore starts from what an earlier run learned, never faster than floor
// (RT-26), and slower than a cold start only just below a limit that is known.
func (a *adaptive) restore(l Learned) {
	a.interval = min(max(l.IntervalMS, a.floor), a.initial)
	if l.LimitPerMinute > 0 && l.LimitPerMinute <= perMinute/a.floor {
		a.limit, a.known, a.sure = l.LimitPerMinute, true, true
		a.interval = min(max(a.interval, perMinute/(recoverTo*a.limit)), a.ceiling)
		a.aim(recoverTo * a.limit)
	}
}

// forget takes back what refusals said of the limit: a longer window than a minute
// explains them.
func (a *adaptive) forget() {
	a.limit, a.known, a.sure, a.vague = 0, false, false, false
	a.aim(0)
}

// aim makes target the rate that the next few successes lead to.
func (a *adaptive) aim(target float64) {
	a.target = target
	a.climb = max(0, target-a.rate()) / recoverIn
}

func (a *adaptive) rate() float64 { return perMinute / a.interval }

func (a *adaptive) duration() time.Duration {
	return time.Duration(math.Ceil(a.interval * float64(time.Millisecond)))
}

// success makes the interval strictly shorter until it is at its floor.
func (a *adaptive) success(now time.Time) {
	a.passed.add(now)
	rate := a.rate()
	a.interval = max(a.floor, min(a.interval, perMinute/(rate+a.gain(rate))))
}

// gain is what one success adds to the rate. It never vanishes: without a step
// of its own a rate a rounding error below target would stay there.
func (a *adaptive) gain(rate float64) float64 {
	gain := perMinute / a.initial * (1/(1-discoveryStep) - 1)
	if a.known {
		gain = min(gain, searchStep)
	}
	if a.sure && rate < doubtAfter*a.limit {
		gain = min(gain, (doubtAfter-recoverTo)*a.limit/max(creepSteps, creepMinutes*a.limit, creepPauses*a.pause*a.limit))
	}
	return max(gain, min(a.climb, a.target-rate))
}

// sign is one sign of pressure.
type sign struct {
	refusal bool          // the provider counts requests, and this was one too many
	told    bool          // it named a pause
	pause   time.Duration // that long
	row     int           // of the signs since the last success, from 1
}

func (s sign) reason() string {
	if s.told {
		return BackoffRetryAfter
	}
	return BackoffThrottle
}

// throttle makes the interval longer. A refusal also says where the limit is;
// another sign of pressure does not, so the rate of before is aimed at again.
// At a limit that is sure the interval grows by the factor alone; otherwise it
// starts from the discovery interval at least.
func (a *adaptive) throttle(now time.Time, s sign) {
	before := a.rate()
	target := a.target
	switch {
	case s.refusal && s.row == 1:
		a.pause = s.pause.Minutes()
		a.locate(now, before, (s.pause-rounded).Minutes()*before >= longPause)
		target = recoverTo * a.limit
	case s.refusal && s.row == windowRow:
		// No bucket refuses for so long: the window is full.
		if n := a.passed.within(now, time.Minute); n > 0 {
			a.limit, a.vague = min(a.limit, max(float64(n), slowestFactor*a.limit)), false
		}
		target = recoverTo * a.limit
	case s.row == 1:
		target = max(target, before)
	}
	longer := a.interval * backoffFactor
	if s.row > 1 || !a.sure {
		longer = max(longer, a.initial)
	}
	if s.refusal && s.row == 1 {
		longer = max(longer, perMinute/target)
	}
	a.interval = max(a.interval, min(a.ceiling, longer))
	a.aim(target)
	a.last = &Backoff{AtIntervalMS: a.interval, Reason: s.reason()}
}

// locate estimates the limit from a refusal at rate after what passed in the
// last minute. When the two agree, the rate is the limit. When they do not,
// either the rate grew quickly up to the limit, or the provider counts over a
// window that the quick rate filled: the first refusal is taken for the former,
// and any later one for the latter, or the first already when it asks for a long
// pause.
func (a *adaptive) locate(now time.Time, rate float64, long bool) {
	passed := a.passed.rate(now)
	n := a.passed.within(now, time.Minute)
	if long = long && n >= lowCount; long {
		passed = float64(n)
	}
	a.sure = agree(rate, passed, sureWithin)
	a.vague = !a.sure && !a.known && !long
	switch {
	case a.vague:
		a.limit = rate
	case a.sure && long:
		a.limit = min(rate, passed)
	case a.sure:
		a.limit = (rate + passed) / 2
	default:
		a.sure = a.known && agree(a.limit, passed, sameLimit)
		a.limit = max(passed, slowestFactor*rate)
	}
	a.known = true
}

// agree reports whether two rates differ by no more than a factor.
func agree(a, b, factor float64) bool { return a <= factor*b && b <= factor*a }
