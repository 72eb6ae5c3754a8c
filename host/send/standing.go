package send

import (
	"encoding/json"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

// shortestPause is the shortest pause that outlives its run: no host dies and starts again
// within a shorter one.
const shortestPause = time.Second

// Standing is what a governor knows of its provider's patience at one moment. It has to be
// durable when it is learned, since a run may be killed in the pause (AC-13).
type Standing struct {
	Until   time.Time  // the run sends nothing before, on no lane but an endpoint's; zero: it may send
	Told    time.Time  // the same, without what only this host's own back-off waits for
	Reason  abi.Reason // of that wait: rate_limited or upstream_pressure
	Learned []byte     // JSON for Recall: the pauses of each lane, and the pace; nil: nothing was learned
}

// standing is the form of Standing.Learned.
type standing struct {
	AtMS  int64           `json:"at_ms"`
	OwnMS int64           `json:"own_until_ms,omitempty"` // this host's own back-off
	Lanes []lanePause     `json:"lanes,omitempty"`
	Pace  json.RawMessage `json:"pace,omitempty"` // as on a cursor, see Learned.Persist
}

// lanePause is the pause of one lane.
type lanePause struct {
	Lane     string `json:"lane,omitempty"`            // "": the provider's own
	HoldMS   int64  `json:"hold_until_ms,omitempty"`   // a refusal's
	WindowMS int64  `json:"window_until_ms,omitempty"` // an exhausted window's
	Refused  bool   `json:"refused,omitempty"`
}

// Standing returns what the next run has to know.
func (g *Governor) Standing() Standing {
	now := g.deps.Clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.standing(now)
}

func (g *Governor) standing(now time.Time) Standing {
	doc := standing{AtMS: now.UnixMilli()}
	for _, l := range append([]*lane{g.general}, g.endpoints...) {
		p := lanePause{Lane: l.name, Refused: l.refused}
		if l.hold.After(now) {
			p.HoldMS = ceiledMS(l.hold)
		}
		if d := l.quota.exhausted(now); d > 0 {
			p.WindowMS = ceiledMS(now.Add(d))
		}
		if p.HoldMS > 0 || p.WindowMS > 0 {
			doc.Lanes = append(doc.Lanes, p)
		}
	}
	s := Standing{Told: latest(now, g.general.hold, g.held)}
	own := latest(now, g.general.absence.until, g.slept, g.circuitUntil())
	if !own.IsZero() {
		doc.OwnMS = ceiledMS(own)
	}
	s.Until = latest(now, s.Told, own)
	if s.Reason = abi.ReasonUpstreamPressure; g.general.refused || g.held.Equal(s.Until) {
		s.Reason = abi.ReasonRateLimited
	}
	if g.general.rate.last != nil {
		pace, _ := g.snapshot(now).Learned().Persist([]string{""}, "", nil, now) // numbers alone
		doc.Pace = json.RawMessage(pace)
	}
	if doc.OwnMS > 0 || doc.Lanes != nil || doc.Pace != nil {
		if text, err := json.Marshal(doc); err == nil {
			s.Learned = text
		}
	}
	return s
}

// circuitUntil returns when the open circuit lets a probe through; zero if it is not open.
func (g *Governor) circuitUntil() time.Time {
	if g.breaker.state != CircuitOpen {
		return time.Time{}
	}
	return g.breaker.opensAt()
}

// latest returns the latest of the times after now; zero if there is none.
func latest(now time.Time, times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(now) && t.After(last) {
			last = t
		}
	}
	return last
}

// ceiledMS is a time in Unix milliseconds, rounded up.
func ceiledMS(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

// hasNews reports whether a lane has a longer pause than it had at the last look, or a slower pace.
func (l *lane) hasNews(now time.Time) bool {
	until := latest(now, l.hold, l.absence.until, now.Add(l.quota.exhausted(now)))
	longer := until.Sub(now) >= shortestPause && until.Sub(l.kept) >= shortestPause
	slower := l.rate.last != l.keptBackoff
	if longer {
		l.kept = until
	}
	l.keptBackoff = l.rate.last
	return longer || slower
}

// keep has what is known now made durable, and returns when it is. The keeps of one governor
// follow each other, so that the last one has the last word.
func (g *Governor) keep() {
	if g.deps.Keep == nil || g.loopback != nil {
		return
	}
	g.keeping.Lock()
	defer g.keeping.Unlock()
	g.deps.Keep(g.Standing())
}

// keepSleep keeps the sleep of a request after a failure.
func (g *Governor) keepSleep(own *lane, until, now time.Time) {
	if own != g.general || until.Sub(now) < shortestPause {
		return
	}
	g.mu.Lock()
	news := until.Sub(own.kept) >= shortestPause
	if news {
		g.slept, own.kept = until, until
	}
	g.mu.Unlock()
	if news {
		g.keep()
	}
}

// Recalled is what earlier runs learned. Its zero value has no pause.
type Recalled struct {
	own   time.Time
	lanes []recalledPause
	pace  *Learned
}

type recalledPause struct {
	name         string
	hold, window time.Time
	refused      bool
}

// Recall reads Standing.Learned. A clock that went back since moves the pauses with it: they
// are as long as they were, counted from now.
func Recall(learned []byte, now time.Time) Recalled {
	var doc standing
	var r Recalled
	if len(learned) == 0 || json.Unmarshal(learned, &doc) != nil {
		return r
	}
	back := max(0, time.UnixMilli(doc.AtMS).Sub(now))
	at := func(ms int64) time.Time {
		if ms <= 0 {
			return time.Time{}
		}
		return latest(now, time.UnixMilli(ms).Add(-back))
	}
	r.own = at(doc.OwnMS)
	for _, p := range doc.Lanes {
		r.lanes = append(r.lanes, recalledPause{p.Lane, at(p.HoldMS), at(p.WindowMS), p.Refused})
	}
	r.pace = Restore(abi.Raw(doc.Pace), now)
	return r
}

// Newer returns the later one of a rate from a cursor, which may be nil, and the one recalled.
func (r Recalled) Newer(l *Learned) *Learned {
	if l == nil || r.pace != nil && r.pace.ended.After(l.ended) {
		return r.pace
	}
	return l
}

// recall has the lanes go on in the pauses of earlier runs.
func (g *Governor) recall(r Recalled) {
	g.general.absence.until = r.own
	for _, l := range append([]*lane{g.general}, g.endpoints...) {
		for _, p := range r.lanes {
			if p.name != l.name {
				continue
			}
			l.hold, l.refused = p.hold, p.refused
			if !p.window.IsZero() {
				l.quota.reported = append(l.quota.reported, ratelimit.Window{Name: recalledWindow, Reset: p.window})
			}
		}
	}
}

// recalledWindow names an exhausted window of an earlier run. No header has such a name.
const recalledWindow = "\x00 recalled"
