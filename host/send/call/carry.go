package call

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

type carryKey struct{}

// Carry sends a request that next carries, once: what a browser has paused. It is paced and
// counted like one of Do, and its answer teaches the governor; a secret is not added, and what
// fails is neither repeated nor followed. It returns nil when the answer was well
// (Invariant 10).
func (s *Session) Carry(ctx context.Context, req *http.Request, next http.RoundTripper) error {
	if err := s.wire.ledger.exhausted(); err != nil {
		return err
	}
	_, err := s.governor.Once(context.WithValue(ctx, carryKey{}, next), req)
	if err == nil {
		s.wire.ledger.answered()
	}
	s.watch.rate(s.options.Clock.Now(), s.governor)
	var stop *send.Stop
	if errors.As(err, &stop) && !stop.ArmsCooldown() { // a budget of the run; pressure on one page's request says nothing yet
		_ = s.recordStop(err)
	}
	return err
}

// Count sends a request that next carries, and waits for nothing: the parts of a page. It counts
// like any other, and ends with the bytes that the run may send.
func (s *Session) Count(_ context.Context, req *http.Request, next http.RoundTripper) error {
	_, err := s.wire.carry(req, next) //nolint:bodyclose // next has kept it
	return err
}

// Failure is how a guest reads an error of Carry that ends its operation: the run's evidence
// of a stop.
func (s *Session) Failure(err error) abi.HTTPFailure { return s.failure(err) }

// carry counts a request that next carries. Of an answer's body the announced length counts.
func (w *wire) carry(out *http.Request, next http.RoundTripper) (*http.Response, error) {
	size := sizeOf(out, nil) + max(out.ContentLength, 0)
	if err := w.ledger.reserve(size); err != nil {
		return nil, err
	}
	resp, err := next.RoundTrip(out)
	where := w.ledger.sent(originOf(out.URL).hostport(), size, err == nil || mayHaveBeenSent(err))
	if err != nil {
		return nil, err
	}
	announced, _ := strconv.ParseInt(resp.Header.Get("Content-Length"), 10, 64) // absent: the head alone counts
	w.ledger.received(where, sizeOfHeader(resp.Header)+max(announced, 0))
	return resp, nil
}
