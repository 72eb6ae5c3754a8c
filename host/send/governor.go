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

// Deps are a governor's dependencies. Clock and Random are always required, since this
// package never uses the machine's own.
type Deps struct {
	Transport http.RoundTripper // sends one request and follows no redirect; see egress
	Clock     Clock
	Random    func() float64 // from 0 up to 1, safe for concurrent use; used for jitter only
	Run       *RunBudget     // nil: unbounded
	Retries   *RetryBudget   // nil: only the attempts bound retries
	Learned   *Learned       // an earlier run's rate; nil: a cold start
	Recalled  Recalled       // the pauses of earlier runs that are not over
	// UnpacedLoopback sends requests to this machine at once unless their service asks
	// for a pause: a simulation has no limit to respect.
	UnpacedLoopback bool
	// Observe receives every step, from the goroutine that makes it and without a lock
	// held; nil: no observer. It must be safe for concurrent use.
	Observe func(Event)
	// Keep makes what was learned durable, and returns when it is: it is called before the
	// wait that was learned begins, from any goroutine, one call at a time. nil: nothing is kept.
	Keep func(Standing)
}

// Event is one step of a request, for progress, evidence and replays. It contains no
// address, header or body.
type Event struct {
	Kind     EventKind
	At       time.Time
	Lane     string // "" or the endpoint's name
	Attempt  int    // from 1
	Duration time.Duration
	Status   int
	Told     bool // of a wait: the provider asked for it
	Refused  bool // of an answer: it asks for fewer requests; a 503 instead reports an unavailable service
	Circuit  *Transition
}

// EventKind is the kind of a step.
type EventKind string

// The kinds.
const (
	EventHold    EventKind = "hold"    // a wait before a send begins; it may become longer than Duration
	EventWait    EventKind = "wait"    // the wait is over and took Duration
	EventSend    EventKind = "send"    // one attempt was sent
	EventAnswer  EventKind = "answer"  // Status, 0 for a transport error; Duration since the send
	EventBackoff EventKind = "backoff" // the sleep after a failure, Duration long
	EventCircuit EventKind = "circuit"
	// EventDisbelieved: the provider gave a pause, or the end of an exhausted window,
	// that is more than a day away. For windows only the first one of a lane is
	// reported.
	EventDisbelieved EventKind = "disbelieved"
)

// Governor is one provider's send governor within a run. Safe for concurrent use. Two
// governors share nothing except the given budgets (PB-A5).
type Governor struct {
	profile Profile
	deps    Deps

	mu        sync.Mutex
	general   *lane
	endpoints []*lane // by index of profile.Endpoints
	loopback  *lane   // see Deps.UnpacedLoopback; nil: paced like any other
	breaker   breaker
	pause     int // the era of the open circuit that the run waits out; 0: none
	doubled   int // attempts that were delayed by more than one source
	// held is the end of an exhausted window for which a request waits, slept that of the
	// longest sleep after a failure; both of the provider's own lane.
	held, slept time.Time

	keeping sync.Mutex
	asleep  asleep
}

// New returns a governor for the provider that profile describes; a name is enough
// (RT-25). An invalid profile returns an *abi.Error.
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
	g.recall(deps.Recalled)
	if deps.UnpacedLoopback {
		g.loopback = newLane("", now, &Profile{Provider: abi.Provider{DiscoveryMS: new(int64(0))}}, 0, nil)
		g.loopback.spendFreely = true
	}
	return g, nil
}

// lanes returns the lanes of a request: first the lane that learns from it, then the
// provider's own if that is another.
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

// admit waits until a request may be sent and removes it from its line. It is the only
// place in a request's path that waits before a send: lane, quota, Retry-After and an
// open circuit are delays, and it takes the longest.
//
// A lane's requests are sent in the order in which they asked. The head of the line
// checks again after its wait, because a throttle may have arrived meanwhile; that
// extends the same wait.
func (g *Governor) admit(ctx context.Context, s *sends) *Stop {
	began := g.deps.Clock.Now()
	g.mu.Lock()
	s.lane().line.join(&s.place, time.Time{})
	g.mu.Unlock()
	told := false
	for {
		now := g.deps.Clock.Now()
		t, stop := g.plan(now, s)
		switch {
		case stop != nil:
			if t.news {
				g.keep()
			}
			return stop
		case t.blocked != nil:
			g.asleep.behind.Add(1)
			select {
			case <-t.blocked:
				g.asleep.behind.Add(-1)
			case <-ctx.Done():
				g.asleep.behind.Add(-1)
				return &Stop{err: cancelled(ctx)}
			}
			continue
		case t.wait == 0:
			g.reportTransition(now, t.change)
			ProbeFrom(ctx).Waited(SourceGovernor, now.Sub(began))
			if d := now.Sub(began); d > 0 {
				g.observe(Event{Kind: EventWait, At: now, Lane: s.lane().name, Attempt: s.attempt, Duration: d, Told: told})
			}
			return nil
		}
		told = t.told >= t.wait
		if t.news {
			g.keep()
		}
		g.observe(Event{Kind: EventHold, At: now, Lane: s.lane().name, Attempt: s.attempt, Duration: t.wait, Told: told})
		// Invariant 4: this is the only sleep before a send.
		if err := g.asleep.during(t.pause, func() error { return g.deps.Clock.Sleep(ctx, t.wait) }); err != nil {
			return &Stop{err: cancelled(ctx)}
		}
	}
}

// turn is the plan for a request: when it may be sent.
type turn struct {
	wait    time.Duration
	told    time.Duration   // the part of wait that the provider asked for
	pause   time.Duration   // the part of wait that is no pacing
	news    bool            // the next run has to know of it
	blocked <-chan struct{} // another request has to move first; nil: none
	change  *Transition     // the breaker's change by this admission
}

// plan returns how long to wait; a zero wait has committed the admission. A wait that
// is too long for a run, or longer than the run, becomes a stop.
func (g *Governor) plan(now time.Time, s *sends) (t turn, stop *Stop) {
	g.mu.Lock()
	defer g.mu.Unlock()
	left, bounded := g.deps.Run.remaining(now)
	opens, probed := g.breaker.delay(now)
	if (opens > 0 || probed) && !g.waitsOut(opens, left, bounded) {
		return t, g.stopPlanned(abi.ReasonCircuitOpen, s.attempt-1, g.breaker.opensAt())
	}
	if !s.lane().line.isHead(&s.place, now) {
		t.blocked = s.place.ready
		return t, nil
	}
	t.wait = opens
	var reason abi.Reason
	var paused time.Duration
	for _, l := range s.lanes {
		if d := l.requestedDelay(now); d > t.told {
			t.told, reason = d, l.pressure(now)
		}
		t.wait, paused = max(t.wait, l.delay(now)), max(paused, l.hold.Sub(now))
		t.pause = max(t.pause, l.absence.until.Sub(now))
	}
	t.pause = max(t.pause, t.told, opens)
	most := ms(g.profile.MaxInlineWaitMS) // of a pause; a known window is waited out for as long as the run lasts
	switch {
	case paused > most, t.told > most && !bounded, t.told > left && bounded:
		t.news = g.meets(now, s)
		return t, g.stopFailed(answer{verdict: verdict{refusal: reason == abi.ReasonRateLimited}, next: now.Add(t.told)}, 0, reason)
	case bounded && t.wait > left:
		return t, g.stopPlanned(abi.ReasonWallClockDeadline, 0, time.Time{})
	case t.wait > 0:
		t.news = g.meets(now, s)
		return t, nil
	case probed:
		t.blocked = g.breaker.settled
		return t, nil
	}
	for _, l := range s.lanes {
		l.admit(now)
	}
	s.lane().line.leave(&s.place)
	s.era, t.change = g.breaker.admit()
	s.probe = g.breaker.state == CircuitHalfOpen
	return t, nil
}

// waitsOut reports whether the run waits for the circuit to close again. It does so
// once in a run, if the pause is no longer than any other wait.
func (g *Governor) waitsOut(wait, left time.Duration, bounded bool) bool {
	if g.pause == 0 && g.breaker.state == CircuitOpen && wait <= ms(g.profile.MaxInlineWaitMS) && (!bounded || wait <= left) {
		g.pause = g.breaker.era
	}
	return g.pause > 0 && g.breaker.era-g.pause <= 1
}

// meets notes that a request waits for the end of a window, and reports whether the next run
// has to know of what it waits for.
func (g *Governor) meets(now time.Time, s *sends) (news bool) {
	for _, l := range s.lanes {
		news = g.meetsWindow(now, l) || news
		news = l.hasNews(now) || news
	}
	return news
}

// meetsWindow is meets for the exhausted window of one lane.
func (g *Governor) meetsWindow(now time.Time, l *lane) (news bool) {
	end := now.Add(l.quota.exhausted(now))
	if l != g.general || end.Sub(now) < shortestPause || end.Sub(g.held) < shortestPause {
		return false
	}
	g.held = end
	return true
}

// recordAnswer updates pacing and quota with one answer. A request that is told when to
// return keeps its place in line.
func (g *Governor) recordAnswer(now time.Time, s *sends, a answer) {
	g.mu.Lock()
	own := s.lane()
	doubted := a.header != nil && own.quota.readHeaders(now, a.header, a.next)
	if !a.next.IsZero() {
		own.holdUntil(a.next)
		own.line.join(&s.place, a.next)
	}
	if !a.final {
		own.absence.record(now, a, ms(g.profile.BackoffBaseMS), ms(g.profile.BackoffCapMS))
	}
	if a.slow {
		own.refused = a.refusal
	}
	switch {
	case a.slow:
		told := !a.next.IsZero()
		s := sign{refusal: a.refusal || told, gavePause: told}
		if told {
			s.pause = a.next.Sub(now)
		}
		own.throttle(now, now.Add(-a.took), s)
	case a.outcome == outcomeSuccess:
		own.success(now, a.took)
	}
	news := a.retry && g.meetsWindow(now, own)
	news = own.hasNews(now) || news
	g.mu.Unlock()
	if news {
		g.keep()
	}
	if doubted {
		g.observe(Event{Kind: EventDisbelieved, At: now, Lane: own.name, Attempt: s.attempt})
	}
	if a.outcome == outcomeSuccess {
		g.deps.Retries.success()
	}
}

// recordOutcome reports a request's result to the breaker.
func (g *Governor) recordOutcome(now time.Time, s *sends, o outcome) {
	g.mu.Lock()
	change := g.breaker.record(now, s.era, o)
	g.mu.Unlock()
	if change != nil && change.State == CircuitOpen {
		g.keep()
	}
	g.reportTransition(now, change)
}

// reportTransition reports a breaker's change, which is evidence (PB-A9).
func (g *Governor) reportTransition(now time.Time, t *Transition) {
	if t != nil {
		g.observe(Event{Kind: EventCircuit, At: now, Circuit: t})
	}
}

// DoubleWaits returns how many attempts were delayed by more than one source. A value
// above zero is a defect in a layer of the transport (RT-20.3).
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
