package send

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Deps is what a governor works with. Clock and Random are required of a real
// caller as well: nothing here asks the machine by itself.
type Deps struct {
	Transport http.RoundTripper // sends one request and follows no redirect; see egress
	Clock     Clock
	Random    func() float64 // from 0 up to 1, safe for concurrent use; for jitter only
	Run       *RunBudget     // nil: unbounded
	Retries   *RetryBudget   // nil: only the attempts bound retries
	Learned   *Learned       // what an earlier run learned; nil: a cold start
	// UnpacedLoopback lets requests to this machine go at once, unless their service
	// asks for a pause: a simulation has no limit to keep to.
	UnpacedLoopback bool
	// Observe is told of every step, by the goroutine that makes it and under no
	// lock; nil: nobody watches. It must be safe for concurrent use.
	Observe func(Event)
}

// Event is one step of a request, for progress, evidence and replays. It
// carries no address, header or body.
type Event struct {
	Kind     EventKind
	At       time.Time
	Lane     string // "" or the endpoint's name
	Attempt  int    // from 1
	Duration time.Duration
	Status   int
	Told     bool // of a wait: the provider asked for it
	Refused  bool // of an answer: it asks for fewer requests; a 503 says that the service is away
	Circuit  *Transition
}

// EventKind says what happened.
type EventKind string

// The kinds.
const (
	EventHold    EventKind = "hold"    // a wait before a send begins; it may become longer than Duration
	EventWait    EventKind = "wait"    // it is over, and was Duration long
	EventSend    EventKind = "send"    // one attempt left
	EventAnswer  EventKind = "answer"  // Status, 0 for a transport error; Duration since the send
	EventBackoff EventKind = "backoff" // the sleep after a failure, Duration long
	EventCircuit EventKind = "circuit"
	// EventDisbelieved: the provider named a pause, or the end of a window that is
	// used up, which is more than a day away. Of windows the first of a lane is told.
	EventDisbelieved EventKind = "disbelieved"
)

// Governor is one provider's send governor within a run. Safe for concurrent
// use. Two governors share nothing but the budgets they were given (PB-A5).
type Governor struct {
	profile Profile
	deps    Deps

	mu        sync.Mutex
	general   *lane
	endpoints []*lane // by index of profile.Endpoints
	loopback  *lane   // see Deps.UnpacedLoopback; nil: it is paced as any other
	breaker   breaker
	pause     int // the era of the open circuit that the run sits out; 0: none was
	doubled   int // attempts that more than one source made wait
}

// New returns a governor for the provider that profile describes; a name alone
// is enough (RT-25). An invalid profile is an *abi.Error.
func New(profile Profile, deps Deps) (*Governor, error) {
	if err := profile.Check(); err != nil {
		return nil, err
	}
	p := profile.withDefaults()
	now := deps.Clock.Now()
	g := &Governor{profile: p, deps: deps, breaker: newBreaker(p.Breaker)}
	g.general = newLane("", now, &p, p.MinIntervalMS, p.Windows)
	if deps.Learned != nil && p.paced() {
		g.general.rate.restore(*deps.Learned)
		g.general.quota.restore(now, deps.Learned.ended, deps.Learned.windows)
		g.general.startPacer(now, &p, p.MinIntervalMS)
	}
	for _, e := range p.Endpoints {
		g.endpoints = append(g.endpoints, newLane(e.Name, now, &p, max(e.MinIntervalMS, p.MinIntervalMS), e.Windows))
	}
	if deps.UnpacedLoopback {
		g.loopback = newLane("", now, &Profile{Provider: abi.Provider{DiscoveryMS: new(int64(0))}}, 0, nil)
		g.loopback.unspaced = true
	}
	return g, nil
}

// lanes returns what a request has to respect: the lane that learns from it,
// and the provider's own when that is another.
func (g *Governor) lanes(method string, u *url.URL) []*lane {
	if g.loopback != nil && onLoopback(u.Hostname()) {
		return []*lane{g.loopback}
	}
	for i := range g.profile.Endpoints {
		if matches(&g.profile.Endpoints[i], method, u.Path) {
			return []*lane{g.endpoints[i], g.general}
		}
	}
	return []*lane{g.general}
}

func onLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// admit waits until a request may go and takes it out of its line. It is the one
// place in a request's path that waits before a send: lane, quota, Retry-After
// and an open circuit are delays, of which it takes the longest.
//
// A lane's requests go in the order in which they asked. The head of the line
// looks again after its wait, because a throttle may have come meanwhile; that
// makes the same wait longer.
func (g *Governor) admit(ctx context.Context, s *sends) *Stop {
	began := g.deps.Clock.Now()
	g.mu.Lock()
	s.own().line.join(&s.place, time.Time{})
	g.mu.Unlock()
	for {
		now := g.deps.Clock.Now()
		t, stop := g.plan(now, s)
		switch {
		case stop != nil:
			return stop
		case t.blocked != nil:
			select {
			case <-t.blocked:
			case <-ctx.Done():
				return &Stop{err: cancelled(ctx)}
			}
			continue
		case t.wait == 0:
			g.changed(now, t.change)
			ProbeFrom(ctx).Waited(SourceGovernor, now.Sub(began))
			if d := now.Sub(began); d > 0 {
				g.observe(Event{Kind: EventWait, At: now, Lane: s.own().name, Attempt: s.attempt, Duration: d})
			}
			return nil
		}
		g.observe(Event{Kind: EventHold, At: now, Lane: s.own().name, Attempt: s.attempt, Duration: t.wait, Told: t.told >= t.wait})
		// Invariant 4: this is the only sleep before a send.
		if err := g.deps.Clock.Sleep(ctx, t.wait); err != nil {
			return &Stop{err: cancelled(ctx)}
		}
	}
}

// turn is when a request's turn is.
type turn struct {
	wait    time.Duration
	told    time.Duration   // how much of it the provider asked for
	blocked <-chan struct{} // another request has to move first; nil: none
	change  *Transition     // that the admission made
}

// plan returns how long to wait; zero has committed the admission. A wait that is
// too long for a run, or longer than the run, is a stop.
func (g *Governor) plan(now time.Time, s *sends) (t turn, stop *Stop) {
	g.mu.Lock()
	defer g.mu.Unlock()
	left, bounded := g.deps.Run.left(now)
	opens, probed := g.breaker.delay(now)
	if (opens > 0 || probed) && !g.sitsOut(opens, left, bounded) {
		return t, g.stopPlanned(abi.ReasonCircuitOpen, s.attempt-1, g.breaker.opensAt())
	}
	if !s.own().line.heads(&s.place, now) {
		t.blocked = s.place.ready
		return t, nil
	}
	t.wait = opens
	var reason abi.Reason
	var paused time.Duration
	for _, l := range s.lanes {
		if d := l.told(now); d > t.told {
			t.told, reason = d, l.pressure(now)
		}
		t.wait, paused = max(t.wait, l.delay(now)), max(paused, l.hold.Sub(now))
	}
	most := ms(g.profile.MaxInlineWaitMS) // of a pause; a window that is known is sat out for as long as the run has
	switch {
	case paused > most, t.told > most && !bounded, t.told > left && bounded:
		return t, g.stopFailed(answer{refusal: reason == abi.ReasonRateLimited, next: now.Add(t.told)}, 0, reason)
	case bounded && t.wait > left:
		return t, g.stopPlanned(abi.ReasonWallClockDeadline, 0, time.Time{})
	case t.wait > 0:
		return t, nil
	case probed:
		t.blocked = g.breaker.settled
		return t, nil
	}
	for _, l := range s.lanes {
		l.admit(now)
	}
	s.own().line.leave(&s.place)
	s.era, t.change = g.breaker.admit()
	s.probe = g.breaker.state == CircuitHalfOpen
	return t, nil
}

// sitsOut reports whether the circuit's pause is waited for, up to the end of its
// probe: the first of a run is, when it is no longer than any other wait.
func (g *Governor) sitsOut(wait, left time.Duration, bounded bool) bool {
	if g.pause == 0 && g.breaker.state == CircuitOpen && wait <= ms(g.profile.MaxInlineWaitMS) && (!bounded || wait <= left) {
		g.pause = g.breaker.era
	}
	return g.pause > 0 && g.breaker.era-g.pause <= 1
}

// learn takes one answer into pacing and quota. A request that is told when to
// come back keeps its place in line.
func (g *Governor) learn(now time.Time, s *sends, v verdict, a answer) {
	g.mu.Lock()
	own := s.own()
	doubted := a.header != nil && own.quota.learn(now, a.header, a.next)
	if !a.next.IsZero() {
		own.holdUntil(a.next)
		own.line.join(&s.place, a.next)
	}
	if !a.final {
		own.absence.learn(now, a, ms(g.profile.BackoffBaseMS), ms(g.profile.BackoffCapMS))
	}
	if v.slow {
		own.refused = v.refusal
	}
	switch {
	case v.slow:
		told := !a.next.IsZero()
		s := sign{refusal: v.refusal || told, told: told}
		if told {
			s.pause = a.next.Sub(now)
		}
		own.throttle(now, now.Add(-a.took), s)
	case v.outcome == outcomeSuccess:
		own.success(now, a.took)
	}
	g.mu.Unlock()
	if doubted {
		g.observe(Event{Kind: EventDisbelieved, At: now, Lane: own.name, Attempt: s.attempt})
	}
	if v.outcome == outcomeSuccess {
		g.deps.Retries.success()
	}
}

// judge counts how a request ended for the breaker.
func (g *Governor) judge(now time.Time, s *sends, o outcome) {
	g.mu.Lock()
	change := g.breaker.record(now, s.era, o)
	g.mu.Unlock()
	g.changed(now, change)
}

// changed tells of a breaker's change, which is evidence (PB-A9).
func (g *Governor) changed(now time.Time, t *Transition) {
	if t != nil {
		g.observe(Event{Kind: EventCircuit, At: now, Circuit: t})
	}
}

// DoubleWaits returns how many attempts were made to wait by more than one
// source; anything above zero is a defect in what the transport is made of
// (RT-20.3).
func (g *Governor) DoubleWaits() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.doubled
}

func (g *Governor) observe(e Event) {
	if g.deps.Observe != nil {
		g.deps.Observe(e)
	}
}

func cancelled(ctx context.Context) *abi.Error {
	return abi.NewError(abi.CodeInterrupted, "the request was cancelled", "run it again").Wrap(context.Cause(ctx))
}
