package send

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Response is a provider's answer: any status that is not retried, 4xx included. Body
// is complete and at most MaxResponseBytes long.
type Response struct {
	Status   int
	Header   http.Header
	Body     []byte
	URL      *url.URL // of the last request in a chain of redirects, as it was given
	Attempts int      // sends of the last request in a chain of redirects
	Waits    []Wait   // before its last send: at most one source
}

// answer is the result of one attempt, and the governor's judgement of it.
type answer struct {
	verdict

	status int
	header http.Header
	body   []byte
	took   time.Duration
	next   time.Time // when the provider wants the next request; zero: not given
	err    error     // the transport's
	final  bool      // err comes from this host and is not retried
}

// Do sends a request and returns the provider's answer, a *Stop, or the *abi.Error of
// a cancelled or refused request. A body must be rewindable (GetBody), or the request
// is sent once. Redirects are followed for GET and HEAD; each hop is a request of its
// own, paced and counted. Safe for concurrent use.
func (g *Governor) Do(ctx context.Context, req *http.Request) (*Response, error) {
	for hop := 0; ; hop++ {
		resp, err := g.send(ctx, req, g.profile.MaxAttempts)
		if err != nil && hop > 0 {
			return nil, ledAway(err)
		}
		if err != nil {
			return nil, err
		}
		resp.URL = req.URL
		next, err := redirect(req, resp)
		if err != nil || next == nil {
			return resp, err
		}
		if hop >= *g.profile.MaxRedirects {
			return nil, abi.NewError(CodeRedirectRefused, fmt.Sprintf("the provider redirected more than %d times", hop),
				"the connector should ask for the final address")
		}
		req = next
	}
}

// Once sends a request like Do, once, and follows no redirect: for a transport whose own
// sender decides on both, and comes back here with each further request.
func (g *Governor) Once(ctx context.Context, req *http.Request) (*Response, error) {
	return g.send(ctx, req, 1)
}

// sends is the state of one request in the governor.
type sends struct {
	lanes   []*lane // see Governor.lanes
	place   place   // in the line of the first lane
	attempt int     // from 1
	era     int     // of the breaker, at the last attempt
	probe   bool    // the last attempt was the breaker's probe
}

func (s *sends) lane() *lane { return s.lanes[0] }

// send makes the attempts of one request, at most most.
func (g *Governor) send(ctx context.Context, req *http.Request, most int) (*Response, error) {
	s := &sends{lanes: g.lanes(req.Method, req.URL)}
	g.asleep.inside.Add(1)
	defer g.asleep.inside.Add(-1)
	defer g.leave(s)
	for {
		s.attempt++
		actx, probe := withProbe(ctx)
		if stop := g.awaitTurn(actx, s); stop != nil {
			return nil, g.completeStop(stop, s.attempt-1)
		}
		got := g.attempt(actx, req, s.lane(), s.attempt)
		waits := probe.Waits()
		g.countWaits(waits)
		now := g.deps.Clock.Now()
		if got.retry && got.header != nil {
			got.next = g.pauseTold(now, s, got)
		}
		g.recordAnswer(now, s, got)
		if s.probe || !got.retry {
			g.recordOutcome(now, s, got.outcome)
		}
		switch {
		case got.final:
			return nil, got.err
		case !got.retry:
			return &Response{Status: got.status, Header: got.header, Body: got.body, Attempts: s.attempt, Waits: waits}, nil
		}
		if s.attempt >= most {
			g.recordOutcome(now, s, got.outcome)
			return nil, g.completeStop(g.stopFailed(got, s.attempt, failureReason(got)), s.attempt)
		}
		if stop := g.retry(ctx, req, got, s.attempt, now, s.lane()); stop != nil {
			g.recordOutcome(now, s, got.outcome)
			return nil, g.completeStop(stop, s.attempt)
		}
	}
}

func (g *Governor) leave(s *sends) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.lane().line.leave(&s.place)
}

// awaitTurn passes everything that may refuse an attempt, and waits for its turn. Budget
// and breaker answer at once; only the pacing waits (RT-20.1).
func (g *Governor) awaitTurn(ctx context.Context, s *sends) *Stop {
	if reason := g.deps.Run.exhausted(g.deps.Clock.Now()); reason != "" {
		return g.stopPlanned(reason, s.attempt-1, time.Time{})
	}
	if stop := g.admit(ctx, s); stop != nil {
		return stop
	}
	now := g.deps.Clock.Now()
	reason := g.deps.Run.charge(now)
	if reason == "" {
		return nil
	}
	g.recordOutcome(now, s, outcomeUnknown) // nothing was sent: the probe is released
	return g.stopPlanned(reason, s.attempt-1, time.Time{})
}

// retry decides whether the request is sent again, and sleeps before that: the only
// wait after a failure, and never one before a send. nil: send again.
func (g *Governor) retry(ctx context.Context, req *http.Request, got answer, attempt int, now time.Time, own *lane) *Stop {
	reason := failureReason(got)
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return g.stopFailed(got, attempt, reason)
	}
	wait := got.next.Sub(now)
	if got.next.IsZero() {
		wait = jitter(ms(g.profile.BackoffBaseMS), ms(g.profile.BackoffCapMS), attempt-1, g.deps.Random())
	}
	left, bounded := g.deps.Run.remaining(now)
	switch {
	case !got.next.IsZero() && (wait > ms(g.profile.MaxInlineWaitMS) || bounded && wait > left):
		// Sending earlier than the provider asked is not allowed; the cooldown waits
		// for that time.
		return g.stopFailed(got, attempt, pressure(reason))
	case bounded && wait > left:
		return g.stopPlanned(abi.ReasonWallClockDeadline, attempt, time.Time{})
	case g.circuitOpen():
		// The stop names this failure, which opened the circuit, and not the breaker.
		// The retry budget is not charged (PB-D6).
		return g.stopFailed(got, attempt, reason)
	case !g.deps.Retries.consume():
		return g.stopFailed(got, attempt, abi.ReasonRetryBudgetExhausted)
	}
	if wait > 0 {
		g.keepSleep(own, now.Add(wait), now)
		g.observe(Event{Kind: EventBackoff, At: now, Lane: own.name, Attempt: attempt, Duration: wait, Told: !got.next.IsZero()})
	}
	if err := g.asleep.during(wait, func() error { return g.deps.Clock.Sleep(ctx, wait) }); err != nil {
		return &Stop{err: cancelled(ctx)}
	}
	return nil
}

// failureReason returns the gap reason of a failure that is not retried any more.
func failureReason(got answer) abi.Reason {
	switch {
	case got.refusal:
		return abi.ReasonRateLimited
	case got.status == http.StatusServiceUnavailable:
		return abi.ReasonUpstreamPressure
	default:
		return abi.ReasonTemporaryUnavailable
	}
}

// pressure returns the reason of a failure whose Retry-After is too long to wait.
func pressure(reason abi.Reason) abi.Reason {
	if reason.IsSourcePressure() {
		return reason
	}
	return abi.ReasonUpstreamPressure
}

func (g *Governor) circuitOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breaker.state == CircuitOpen
}

// completeStop completes a stop with the run's evidence. A cancelled request returns an
// error of its own.
func (g *Governor) completeStop(s *Stop, attempts int) error {
	if s.Provider == "" {
		return s.err
	}
	s.Attempts = attempts
	elapsed, requests := g.deps.Run.usage(g.deps.Clock.Now())
	s.Record = StopRecord{Reason: s.Reason, ElapsedMS: elapsed.Milliseconds(), RequestCount: requests}
	if tokens, bounded := g.deps.Retries.Remaining(); bounded {
		s.Record.RetryTokensRemaining = &tokens
	}
	if !g.profile.Breaker.Disabled {
		g.mu.Lock()
		s.Record.CircuitState = new(g.breaker.state)
		g.mu.Unlock()
	}
	return s
}

func (g *Governor) countWaits(waits []Wait) {
	if len(waits) > 1 {
		g.mu.Lock()
		g.doubled++
		g.mu.Unlock()
	}
}

// attempt makes one call of the provider, bounded only by the profile's timeout: a
// run's time is checked between fetches (PB-D7).
func (g *Governor) attempt(ctx context.Context, req *http.Request, own *lane, n int) answer {
	began := g.deps.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, ms(g.profile.TimeoutMS))
	defer cancel()
	g.observe(Event{Kind: EventSend, At: began, Lane: own.name, Attempt: n})
	got := g.fetch(ctx, req, n)
	end := g.deps.Clock.Now()
	got.took = end.Sub(began)
	switch {
	case got.final:
		got.verdict = verdict{outcome: outcomeUnknown}
	case got.err != nil:
		got.verdict = verdict{outcome: outcomeFailure, retry: true}
	default:
		got.verdict = classify(g.profile.Refusals, got.status, got.header, got.body)
	}
	g.observe(Event{
		Kind: EventAnswer, At: end, Lane: own.name, Attempt: n, Status: got.status, Duration: got.took, Refused: got.refusal,
	})
	return got
}

func (g *Governor) fetch(ctx context.Context, req *http.Request, n int) answer {
	out := req.Clone(ctx)
	if n > 1 && req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return answer{err: err, final: true}
		}
		out.Body = body
	}
	resp, err := g.deps.Transport.RoundTrip(out)
	if err != nil {
		return failed(ctx, err)
	}
	defer resp.Body.Close() //nolint:errcheck // the body was read completely, or the read failed
	limit := g.profile.MaxResponseBytes
	body, err := readAll(io.LimitReader(resp.Body, limit+1), resp.ContentLength)
	switch {
	case err != nil:
		return failed(ctx, err)
	case int64(len(body)) > limit:
		err := abi.NewError(CodeResponseTooLarge, fmt.Sprintf("the answer is larger than %d bytes", limit),
			"ask for smaller pages, or raise max_response_bytes in the connector's manifest")
		return answer{err: err, final: true}
	}
	return answer{status: resp.StatusCode, header: resp.Header, body: body}
}

// trusted is the largest buffer allocated for an announced length.
const trusted = 1 << 20

// readAll is io.ReadAll with the announced length allocated in advance, so that a body
// is not copied while it grows; one byte more lets the last Read find the end.
func readAll(r io.Reader, announced int64) ([]byte, error) {
	if announced < 0 || announced > trusted {
		return io.ReadAll(r)
	}
	body := make([]byte, 0, announced+1)
	for {
		if len(body) == cap(body) {
			rest, err := io.ReadAll(r)
			return append(body, rest...), err
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return body, err
		}
	}
}

// failed distinguishes a provider's failure from the caller's cancellation and this
// host's refusals, neither of which is retried.
func failed(ctx context.Context, err error) answer {
	var refused *abi.Error
	switch {
	case errors.As(err, &refused):
		return answer{err: refused, final: true}
	case errors.Is(context.Cause(ctx), context.Canceled), ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return answer{err: cancelled(ctx), final: true}
	}
	return answer{err: err}
}
