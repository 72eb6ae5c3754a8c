package send

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/pacing"
)

// lane is one pace: the provider's, or that of an endpoint. Guarded by the governor's
// mutex.
type lane struct {
	name        string
	line        line
	paced       bool
	spendFreely bool // the rest of a window may be used at once
	rate        adaptive
	pacer       pacing.Pacer
	quota       quota
	hold        time.Time // the moment of the last Retry-After
	refused     bool      // the last sign of pressure was a refusal, not an unavailable service
	absence     absence
	windows     windowFinder
	throttles   pacing.Throttles
	latency     pacing.Latency
	kept        time.Time    // the end of the pause that was last kept, see hasNews
	keptBackoff *abi.Backoff // the back-off that was
}

func newLane(name string, now time.Time, p *Profile, floorMS int64, windows []abi.ProviderWindow) *lane {
	l := &lane{name: name, paced: p.paced(), quota: newQuota(windows), windows: newWindowFinder()}
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
	l.pacer = pacing.NewPacer(now, l.rate.duration(), ms(floorMS), tolerance)
	if l.name == "" { // an endpoint's own limit has no burst
		l.pacer.Burst = p.Burst
	}
}

// delay returns the longest of all waits of a request on this lane: the maximum and
// never a sum (RT-20.2).
func (l *lane) delay(now time.Time) time.Duration {
	d := max(l.hold.Sub(now), l.absence.until.Sub(now), l.quota.exhausted(now), 0)
	if !l.spendFreely {
		d = max(d, l.quota.delay(now))
	}
	if l.paced {
		d = max(d, l.pacer.Delay(now, l.rate.duration()))
	}
	return d
}

// requestedDelay returns the part of delay that the provider asked for: a pause, or the end of
// an exhausted window. Spreading the rest of a window is this host's choice and not
// part of it.
func (l *lane) requestedDelay(now time.Time) time.Duration {
	return max(l.hold.Sub(now), l.quota.exhausted(now), 0)
}

// pressure returns the reason of a wait that the provider asked for.
func (l *lane) pressure(now time.Time) abi.Reason {
	if l.refused || l.quota.exhausted(now) >= l.requestedDelay(now) {
		return abi.ReasonRateLimited
	}
	return abi.ReasonUpstreamPressure
}

func (l *lane) admit(now time.Time) {
	l.quota.admit(now)
	if l.paced {
		l.pacer.Admit(now, l.rate.duration())
	}
}

// holdUntil delays the lane's other requests until a time that the provider named. It
// is a time and not a duration, so the request that slept until then does not wait
// again (RT-21).
func (l *lane) holdUntil(t time.Time) {
	if t.After(l.hold) {
		l.hold = t
	}
}

// throttle records one sign of pressure for a request that was sent at sent. The lane
// pauses if too many signs came within a minute, and for a full window whose end the
// provider did not give. Simultaneous requests give one sign.
func (l *lane) throttle(now, sent time.Time, s sign) {
	l.holdUntil(l.throttles.Add(now))
	if l.windows.simultaneous(sent) {
		return
	}
	until := l.windows.refused(now)
	s.streak = l.windows.streak
	if l.paced {
		l.rate.throttle(now, s)
	}
	if s.refusal && !s.gavePause && l.quota.exhausted(now) <= 0 {
		l.holdUntil(until)
		if w := l.windows.window(now, l.quota.logged); w.Requests > 0 {
			l.quota.replaceDerived(now, w)
			l.rate.forgetLimit()
		}
	}
}

// success records one good answer. A suspiciously late answer slows the lane down: the
// provider throttles without saying so.
func (l *lane) success(now time.Time, took time.Duration) {
	l.windows.success(now)
	switch {
	case !l.paced:
	case l.latency.Add(took):
		l.rate.success(now)
		l.rate.throttle(now, sign{streak: 1})
	default:
		l.rate.success(now)
	}
}
