package send

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// lane is one pace: the provider's, or an endpoint's own. Guarded by the
// governor's mutex.
type lane struct {
	name      string
	line      line
	paced     bool
	unspaced  bool // what is left of a window is used at once
	rate      adaptive
	pacer     pacer
	quota     quota
	hold      time.Time // the moment of the last Retry-After
	refused   bool      // the last sign of pressure was a refusal, and not a service that is away
	absence   absence
	silence   silence
	throttles scolded
	took      latency
}

func newLane(name string, now time.Time, p *Profile, floorMS int64, windows []abi.ProviderWindow) *lane {
	l := &lane{name: name, paced: p.paced(), quota: newQuota(windows), silence: newSilence()}
	if l.paced {
		l.rate = newAdaptive(float64(*p.DiscoveryMS), float64(floorMS), float64(p.MaxIntervalMS))
		l.startPacer(now, p, floorMS)
	}
	return l
}

func (l *lane) startPacer(now time.Time, p *Profile, floorMS int64) {
	tolerance := time.Duration(-1)
	if p.ToleranceMS != nil {
		tolerance = ms(*p.ToleranceMS)
	}
	l.pacer = newPacer(now, l.rate.duration(), ms(floorMS), tolerance)
}

// delay is the longest of everything that a request of this lane waits for:
// the maximum and never a sum (RT-20.2).
func (l *lane) delay(now time.Time) time.Duration {
	d := max(l.hold.Sub(now), l.absence.until.Sub(now), l.quota.exhausted(now), 0)
	if !l.unspaced {
		d = max(d, l.quota.delay(now))
	}
	if l.paced {
		d = max(d, l.pacer.delay(now, l.rate.duration()))
	}
	return d
}

// told is the part of delay that the provider asked for itself: a pause, or the
// end of a window that is used up. How what is left of one is spread is ours.
func (l *lane) told(now time.Time) time.Duration {
	return max(l.hold.Sub(now), l.quota.exhausted(now), 0)
}

// pressure is the reason of a wait that the provider asked for.
func (l *lane) pressure(now time.Time) abi.Reason {
	if l.refused || l.quota.exhausted(now) >= l.told(now) {
		return abi.ReasonRateLimited
	}
	return abi.ReasonUpstreamPressure
}

func (l *lane) admit(now time.Time) {
	l.quota.admit(now)
	if l.paced {
		l.pacer.admit(now, l.rate.duration())
	}
}

// holdUntil keeps the lane's other requests back until a moment that the
// provider named. It is a moment and not a span: the request that slept until
// then does not wait again (RT-21).
func (l *lane) holdUntil(t time.Time) {
	if t.After(l.hold) {
		l.hold = t
	}
}

// throttle takes one sign of pressure, of a request that was sent at a moment.
// The lane holds still when too many came within a minute, and until a window is
// over whose end nobody told. Requests that were under way together give one sign.
func (l *lane) throttle(now, sent time.Time, s sign) {
	l.holdUntil(l.throttles.add(now))
	if l.silence.burst(sent) {
		return
	}
	until := l.silence.refused(now)
	s.row = l.silence.row
	if l.paced {
		l.rate.throttle(now, s)
	}
	if s.refusal && !s.told && l.quota.exhausted(now) <= 0 {
		l.holdUntil(until)
		if w := l.silence.found(now, l.quota.logged); w.Requests > 0 {
			l.quota.found(now, w)
			l.rate.forget()
		}
	}
}

// success takes one good answer. One that came suspiciously late slows the lane
// down: the provider throttles without saying so.
func (l *lane) success(now time.Time, took time.Duration) {
	l.silence.success(now)
	switch {
	case !l.paced:
	case l.took.add(took):
		l.rate.success(now)
		l.rate.throttle(now, sign{row: 1})
	default:
		l.rate.success(now)
	}
}
