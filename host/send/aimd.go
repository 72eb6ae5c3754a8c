package send

import (
	"math"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/pacing"
)

// Parameters of the rate. The first two are the Collection Profile reference's; the
// others determine how closely a known limit is approached and come from the
// simulation (make sim).
const (
	discoveryStep = 0.1  // share by which the first success shortens the discovery interval
	backoffFactor = 1.5  // factor by which a throttle lengthens the interval
	perMinute     = 60e3 // milliseconds in the unit of rates, requests a minute
	recoverTo     = 0.97 // share of the rate at which the provider refused
	recoverIn     = 8    // successes until recoverTo is reached
	doubtAfter    = 1.06 // multiple of the same rate above which the limit must have grown
	creepSteps    = 600  // successes from recoverTo to doubtAfter, once the limit is certain
	creepMinutes  = 2    // the least duration of that climb, in minutes
	creepPauses   = 40   // its least duration in multiples of the pause that a refusal costs
	longPause     = 10   // intervals: a longer pause does not come from a bucket
	windowRow     = 3    // consecutive refusals that show a full window
	searchStep    = 0.4  // requests a minute; at any rate that adds 40 % in a minute
	sureWithin    = 1.25 // multiple of the passed requests up to which a refusal counts as at the limit
	sameLimit     = 1.1  // ratio up to which two limits count as equal
	slowestFactor = 0.1  // share of the rate down to which the passed requests are believed
)

// The reasons of a back-off (governor contract, section 3.5).
const (
	BackoffRetryAfter = "retry_after"
	BackoffThrottle   = "throttle"
)

// adaptive is AIMD on the interval, in rate space (RT-25, PB-D2): a success adds to
// the rate, a throttle divides it, and nothing else changes it (PB-D3). With the
// reference's constant step one request in a dozen is refused once the limit is
// reached. A refusal is therefore remembered: the rate returns quickly to just below
// it and then creeps upwards.
//
// Rates are in requests a minute, intervals in milliseconds. Not safe for concurrent
// use.
type adaptive struct {
	interval, floor, initial, ceiling float64

	limit  float64 // the rate at which the provider refused; 0: unknown
	target float64 // the rate to return to after a back-off
	climb  float64 // the rate added by a success below target
	sure   bool    // at the refusal the rate agreed with the number of passed requests
	known  bool    // there was a refusal
	vague  bool    // limit is only the rate at the first refusal
	pause  float64 // minutes that the last refusal asked for
	passed pacing.Meter
	last   *abi.Backoff
}

func newAdaptive(initial, floor, ceiling float64) adaptive {
	initial = max(initial, floor)
	return adaptive{interval: initial, floor: floor, initial: initial, ceiling: max(ceiling, initial)}
}

// restore starts from an earlier run's rate, never faster than floor (RT-26), and
// slower than a cold start only if a known limit requires it.
func (a *adaptive) restore(l Learned) {
	a.interval = min(max(l.IntervalMS, a.floor), a.initial)
	if l.LimitPerMinute > 0 && l.LimitPerMinute <= perMinute/a.floor {
		a.limit, a.known, a.sure = l.LimitPerMinute, true, true
		a.interval = min(max(a.interval, perMinute/(recoverTo*a.limit)), a.ceiling)
		a.setTarget(recoverTo * a.limit)
	}
}

// forgetLimit discards the limit learned from refusals, because a window longer than a
// minute explains them.
func (a *adaptive) forgetLimit() {
	a.limit, a.known, a.sure, a.vague = 0, false, false, false
	a.setTarget(0)
}

// setTarget sets target, the rate to which the next few successes lead.
func (a *adaptive) setTarget(target float64) {
	a.target = target
	a.climb = max(0, target-a.rate()) / recoverIn
}

func (a *adaptive) rate() float64 { return perMinute / a.interval }

func (a *adaptive) duration() time.Duration {
	return time.Duration(math.Ceil(a.interval * float64(time.Millisecond)))
}

// success shortens the interval, strictly, until it reaches its floor.
func (a *adaptive) success(now time.Time) {
	a.passed.Add(now)
	rate := a.rate()
	a.interval = max(a.floor, min(a.interval, perMinute/(rate+a.gain(rate))))
}

// gain returns the amount that one success adds to the rate. It is never zero: a rate
// that is a rounding error below target would otherwise stay there.
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
	refusal   bool          // the provider counts requests, and this one exceeded its limit
	gavePause bool          // it gave a pause
	pause     time.Duration // the length of that pause
	streak    int           // position among the signs since the last success, from 1
}

func (s sign) reason() string {
	if s.gavePause {
		return BackoffRetryAfter
	}
	return BackoffThrottle
}

// throttle lengthens the interval. A refusal also locates the limit; another sign of
// pressure does not, so the earlier rate remains the target. At a certain limit the
// interval grows only by the factor; otherwise it becomes at least the discovery
// interval.
func (a *adaptive) throttle(now time.Time, s sign) {
	before := a.rate()
	target := a.target
	switch {
	case s.refusal && s.streak == 1:
		a.pause = s.pause.Minutes()
		a.locate(now, before, (s.pause-rounded).Minutes()*before >= longPause)
		target = recoverTo * a.limit
	case s.refusal && s.streak == windowRow:
		// No bucket refuses for such a long time: the window is full.
		if n := a.passed.Within(now, time.Minute); n > 0 {
			a.limit, a.vague = min(a.limit, max(float64(n), slowestFactor*a.limit)), false
		}
		target = recoverTo * a.limit
	case s.streak == 1:
		target = max(target, before)
	}
	longer := a.interval * backoffFactor
	if s.streak > 1 || !a.sure {
		longer = max(longer, a.initial)
	}
	if s.refusal && s.streak == 1 {
		longer = max(longer, perMinute/target)
	}
	a.interval = max(a.interval, min(a.ceiling, longer))
	a.setTarget(target)
	a.last = &abi.Backoff{AtIntervalMS: a.interval, Reason: s.reason()}
}

// locate estimates the limit from a refusal at rate, given the number of requests that
// passed in the last minute. If the two agree, the rate is the limit. If they do not,
// either the rate grew quickly up to the limit, or the provider counts over a window
// that the high rate filled. The first refusal is attributed to growth, any later one
// to the window; so is a first refusal that asks for a long pause.
func (a *adaptive) locate(now time.Time, rate float64, long bool) {
	passed := a.passed.Rate(now)
	n := a.passed.Within(now, time.Minute)
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

// agree reports whether two rates differ by at most a factor.
func agree(a, b, factor float64) bool { return a <= factor*b && b <= factor*a }
