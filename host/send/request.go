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

// Response is a provider's answer: any status that is not retried, 4xx
// included. Body is whole and at most MaxResponseBytes long.
type Response struct {
	Status   int
	Header   http.Header
	Body     []byte
	URL      *url.URL // of the last request of a chain of redirects, as it was given
	Attempts int      // sends of the last request of a chain of redirects
	Waits    []Wait   // before its last send: one source at most
}

// answer is what one attempt brought.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	took    time.Duration
	next    time.Time // when the provider wants the next request; zero: it did not say
	refusal bool
	verdict verdict // of status, header and body
	err     error   // of the transport
	final   bool    // err is not the provider's and is not retried
}

// Do sends a request and returns the provider's answer, or a *Stop, or the
// *abi.Error of a cancelled or refused request. A body must be rewindable
// (GetBody), or the request is sent once. Redirects are followed for GET and
// HEAD; each hop is a request of its own, paced and counted. Safe for
// concurrent use.
func (g *Governor) Do(ctx context.Context, req *http.Request) (*Response, error) {
	for hop := 0; ; hop++ {
		resp, err := g.send(ctx, req)
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

// sends is one request on its way through the governor.
type sends struct {
	lanes   []*lane // see Governor.lanes
	place   place   // in the line of the first of them
	attempt int     // from 1
	era     int     // of the breaker, at the last attempt
	probe   bool    // the last attempt was the breaker's probe
}

func (s *sends) own() *lane { return s.lanes[0] }

// send makes the attempts of one request.
func (g *Governor) send(ctx context.Context, req *http.Request) (*Response, error) {
	s := &sends{lanes: g.lanes(req.Method, req.URL)}
	defer g.leave(s)
	for {
		s.attempt++
		actx, probe := withProbe(ctx)
		if stop := g.clear(actx, s); stop != nil {
			return nil, g.closing(stop, s.attempt-1)
		}
		got := g.attempt(actx, req, s.own(), s.attempt)
		waits := probe.Waits()
		g.countWaits(waits)
		now := g.deps.Clock.Now()
		v := verdict{outcome: outcomeUnknown}
		switch {
		case got.final:
		case got.err != nil:
			v = verdict{outcome: outcomeFailure, retry: true}
		default:
			v = got.verdict
		}
		got.refusal = v.refusal
		if v.retry && got.header != nil {
			got.next = g.pauseTold(now, s, v, got.header)
		}
		g.learn(now, s, v, got)
		if s.probe || !v.retry {
			g.judge(now, s, v.outcome)
		}
		switch {
		case got.final:
			return nil, got.err
		case !v.retry:
			return &Response{Status: got.status, Header: got.header, Body: got.body, Attempts: s.attempt, Waits: waits}, nil
		}
		if stop := g.retry(ctx, req, got, s.attempt, now, s.own()); stop != nil {
			g.judge(now, s, v.outcome)
			return nil, g.closing(stop, s.attempt)
		}
	}
}

func (g *Governor) leave(s *sends) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.own().line.leave(&s.place)
}

// clear asks everything that may refuse an attempt, and waits for its turn.
// Budget and breaker answer at once; only the pacing waits (RT-20.1).
func (g *Governor) clear(ctx context.Context, s *sends) *Stop {
	if reason := g.deps.Run.tripped(g.deps.Clock.Now()); reason != "" {
		return g.stopPlanned(reason, s.attempt-1, time.Time{})
	}
	if stop := g.admit(ctx, s); stop != nil {
		return stop
	}
	now := g.deps.Clock.Now()
	reason := g.deps.Run.take(now)
	if reason == "" {
		return nil
	}
	g.judge(now, s, outcomeUnknown) // nothing was sent: a probe is given back
	return g.stopPlanned(reason, s.attempt-1, time.Time{})
}

// retry decides whether the request goes again, and sleeps before it does: the
// only wait after a failure, and never one before a send. nil: send again.
func (g *Governor) retry(ctx context.Context, req *http.Request, got answer, attempt int, now time.Time, own *lane) *Stop {
	reason := failureReason(got)
	if attempt >= g.profile.MaxAttempts || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return g.stopFailed(got, attempt, reason)
	}
	wait := got.next.Sub(now)
	if got.next.IsZero() {
		wait = jitter(ms(g.profile.BackoffBaseMS), ms(g.profile.BackoffCapMS), attempt-1, g.deps.Random())
	}
	left, bounded := g.deps.Run.left(now)
	switch {
	case !got.next.IsZero() && (wait > ms(g.profile.MaxInlineWaitMS) || bounded && wait > left):
		// Sending earlier than told is no way out: the cooldown honours the moment.
		return g.stopFailed(got, attempt, pressure(reason))
	case bounded && wait > left:
		return g.stopPlanned(abi.ReasonWallClockDeadline, attempt, time.Time{})
	case g.open():
		// Not the breaker's stop: this failure is the one that opened it, and is
		// told as what it was. The retry budget is not asked (PB-D6).
		return g.stopFailed(got, attempt, reason)
	case !g.deps.Retries.consume():
		return g.stopFailed(got, attempt, abi.ReasonRetryBudgetExhausted)
	}
	if wait > 0 {
		g.observe(Event{Kind: EventBackoff, At: now, Lane: own.name, Attempt: attempt, Duration: wait, Told: !got.next.IsZero()})
	}
	if err := g.deps.Clock.Sleep(ctx, wait); err != nil {
		return &Stop{err: cancelled(ctx)}
	}
	return nil
}

// failureReason is the gap reason of a failure that is not retried any more.
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

// pressure is the reason of a failure whose Retry-After is too long to sit out.
func pressure(reason abi.Reason) abi.Reason {
	if reason.IsSourcePressure() {
		return reason
	}
	return abi.ReasonUpstreamPressure
}

func (g *Governor) open() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breaker.state == CircuitOpen
}

// closing completes a stop with the run's evidence. A cancelled request is an
// error of its own.
func (g *Governor) closing(s *Stop, attempts int) error {
	if s.Provider == "" {
		return s.err
	}
	s.Attempts = attempts
	elapsed, requests := g.deps.Run.spent(g.deps.Clock.Now())
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

// attempt is one call of the provider, bounded by the profile's timeout and by
// nothing else: a run's time is checked between fetches (PB-D7).
func (g *Governor) attempt(ctx context.Context, req *http.Request, own *lane, n int) answer {
	began := g.deps.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, ms(g.profile.TimeoutMS))
	defer cancel()
	g.observe(Event{Kind: EventSend, At: began, Lane: own.name, Attempt: n})
	got := g.fetch(ctx, req, n)
	end := g.deps.Clock.Now()
	got.took = end.Sub(began)
	if got.err == nil {
		got.verdict = classify(g.profile.Refusals, got.status, got.header, got.body)
	}
	g.observe(Event{
		Kind: EventAnswer, At: end, Lane: own.name, Attempt: n, Status: got.status, Duration: got.took, Refused: got.verdict.refusal,
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
	defer resp.Body.Close() //nolint:errcheck // what was read is whole or the read failed
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

// trusted is how much room an announced length alone is given.
const trusted = 1 << 20

// readAll is io.ReadAll with room for what was announced, so that a body is not
// copied while it grows; one byte more lets the last Read find the end.
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

// failed tells a provider's failure from the caller's own end and from what
// this host refuses, neither of which is retried.
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
