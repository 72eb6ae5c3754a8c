package send

import (
	"context"
	"net/http"
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
	// Throttled is said of an answer that is a throttle signal for the pacing.
	Throttled bool
	Circuit   *Transition
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
)

// Governor is one provider's send governor within a run. Safe for concurrent
// use. Two governors share nothing but the budgets they were given (PB-A5).
type Governor struct {
	profile Profile
	deps    Deps

	mu        sync.Mutex
	general   *lane
	endpoints []*lane // by index of profile.Endpoints
	breaker   breaker
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
		g.general.startPacer(now, &p, p.MinIntervalMS)
	}
	for _, e := range p.Endpoints {
		g.endpoints = append(g.endpoints, newLane(e.Name, now, &p, max(e.MinIntervalMS, p.MinIntervalMS), e.Windows))
	}
	return g, nil
}

// lanes returns what a request has to respect: the lane that learns from it,
// and the provider's own when that is another.
func (g *Governor) lanes(method, path string) []*lane {
	for i := range g.profile.Endpoints {
		if g.profile.Endpoints[i].matches(method, path) {
			return []*lane{g.endpoints[i], g.general}
		}
	}
	return []*lane{g.general}
}

// admit waits until a request may go and commits its place. It is the one place
// in a request's path that waits before a send: lane, quota and Retry-After are
// delays, of which it takes the longest.
//
// A lane's requests go in the order in which they asked. The head of the queue
// looks again after its wait, because a throttle may have come meanwhile; that
// makes the same wait longer.
func (g *Governor) admit(ctx context.Context, lanes []*lane, attempt int) *Stop {
	began := g.deps.Clock.Now()
	select {
	case <-lanes[0].turn:
	case <-ctx.Done():
		return &Stop{err: cancelled(ctx)}
	}
	defer func() { lanes[0].turn <- struct{}{} }()
	for {
		now := g.deps.Clock.Now()
		wait, told, stop := g.plan(now, lanes)
		switch {
		case stop != nil:
			return stop
		case wait == 0:
			ProbeFrom(ctx).Waited(SourceGovernor, now.Sub(began))
			if d := now.Sub(began); d > 0 {
				g.observe(Event{Kind: EventWait, At: now, Lane: lanes[0].name, Attempt: attempt, Duration: d})
			}
			return nil
		}
		g.observe(Event{Kind: EventHold, At: now, Lane: lanes[0].name, Attempt: attempt, Duration: wait, Told: told >= wait})
		// Invariant 4: this is the only sleep before a send.
		if err := g.deps.Clock.Sleep(ctx, wait); err != nil {
			return &Stop{err: cancelled(ctx)}
		}
	}
}

// plan returns how long to wait, and how much of that the provider asked for;
// zero has committed the admission. A wait that is too long for a run, or longer
// than the run, is a stop.
func (g *Governor) plan(now time.Time, lanes []*lane) (wait, told time.Duration, stop *Stop) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range lanes {
		wait, told = max(wait, l.delay(now)), max(told, l.told(now))
	}
	left, bounded := g.deps.Run.left(now)
	switch {
	case told > ms(g.profile.MaxInlineWaitMS), bounded && told > left:
		s := g.stopFailed(answer{refusal: true, next: now.Add(told)}, 0, abi.ReasonRateLimited)
		return 0, 0, s
	case bounded && wait > left:
		return 0, 0, g.stopPlanned(abi.ReasonWallClockDeadline, 0, time.Time{})
	case wait > 0:
		return wait, told, nil
	}
	for _, l := range lanes {
		l.admit(now)
	}
	return 0, 0, nil
}

// learn takes one answer into pacing, quota and breaker.
func (g *Governor) learn(now time.Time, lanes []*lane, era int, v verdict, a answer) {
	g.mu.Lock()
	own := lanes[0]
	if a.header != nil {
		own.quota.learn(now, a.header, a.next)
	}
	if !a.next.IsZero() {
		own.holdUntil(a.next)
	}
	switch {
	case v.slow && !a.next.IsZero():
		own.throttle(now, BackoffRetryAfter, true)
	case v.slow:
		own.throttle(now, BackoffThrottle, v.refusal)
	case v.outcome == outcomeSuccess:
		own.success(now, a.took)
	}
	change := g.breaker.record(now, era, v.outcome)
	g.mu.Unlock()
	if v.outcome == outcomeSuccess {
		g.deps.Retries.success()
	}
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
