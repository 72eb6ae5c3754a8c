package call

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// Session is the network of one run. Safe for concurrent use.
type Session struct {
	options      Options
	pacingStream string
	hosts        []string
	agent        string
	inlineWait   time.Duration // the longest wait that ends in an answer; 0: an endpoint may differ
	slots        map[string]*slot
	keys         *keyring
	wire         *wire
	watch        *watch
	governor     *send.Governor
	guard        *egress.Guard // nil with a test's transport

	mu            sync.Mutex
	pressure      abi.Reason // see Pressure
	pressureUntil time.Time
	planned       abi.Reason
	cause         abi.Cause // see Trouble
	troubled      string
}

// Do answers one request of the http operation, as abi/http.go describes it: reply is
// called once, before Do returns. Do never fails: an error becomes the answer. A large
// answer occupies its place until reply has returned, see mostLarge. request must not
// change, even after Do has returned: the connection may still read it.
func (s *Session) Do(ctx context.Context, request []byte, reply func(answer []byte)) {
	c, err := s.decode(request)
	if err == nil {
		err = s.wire.ledger.exhausted()
	}
	var resp *send.Response
	if err == nil {
		defer s.wire.release(c)
		resp, err = s.send(ctx, c)
		s.watch.rate(s.options.Clock.Now(), s.governor)
	}
	if err != nil {
		reply(s.encodeFailure(s.failure(err)))
		return
	}
	reply(s.encode(resp))
}

// send sends a call, and once more if its access token turned out to be expired.
func (s *Session) send(ctx context.Context, c *call) (*send.Response, error) {
	for again := false; ; again = true {
		if c.slot != nil {
			if err := s.loadSecret(ctx, c.slot); err != nil {
				return nil, err
			}
		}
		resp, err := s.do(ctx, c)
		if err == nil {
			s.wire.ledger.answered()
		}
		switch {
		case err != nil || !c.placed:
			return resp, err
		case c.slot.OAuth == nil:
			if resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden {
				s.keys.forget(c.slot)
			}
			return resp, nil
		case resp.Status != http.StatusUnauthorized:
			s.keys.proven(c.slot, c.generation)
			return resp, nil
		case again:
			return resp, nil
		}
		if renewed, err := s.renew(ctx, c.slot, c.generation, true); err != nil || !renewed {
			return resp, err
		}
	}
}

// loadSecret makes sure that a slot has a secret.
func (s *Session) loadSecret(ctx context.Context, slot *slot) error {
	ok, err := s.keys.load(ctx, slot)
	if err != nil || slot.OAuth == nil {
		return err
	}
	generation, expired := s.keys.expired(slot, s.options.Clock.Now())
	if ok && !expired {
		return nil
	}
	_, err = s.renew(ctx, slot, generation, false)
	return err
}

// Session lends requests without a credential the session of a browser, at each hop anew: cookies are
// those that it would send to an address, and set has it keep those of an answer; false: the address
// is none of those whose cookies it has. It is called before the first request.
func (s *Session) Session(
	cookies func(ctx context.Context, u *url.URL) ([]*http.Cookie, error),
	set func(ctx context.Context, u *url.URL, cookies []*http.Cookie) (kept bool, err error),
) {
	s.wire.lent = &lent{cookies, set}
}

// lent is the session of a browser.
type lent struct {
	cookies func(ctx context.Context, u *url.URL) ([]*http.Cookie, error)
	set     func(ctx context.Context, u *url.URL, cookies []*http.Cookie) (kept bool, err error)
}

// Counts returns the usage so far.
func (s *Session) Counts() abi.RequestCounts {
	l := s.wire.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts
}

// Destinations returns the bytes sent, by host.
func (s *Session) Destinations() []abi.Destination { return s.wire.ledger.destinations() }

// Rate returns the live rate (RT-27); nil if pacing is switched off.
func (s *Session) Rate() *abi.CollectionRate { return s.governor.CollectionRate() }

// DoubleWaits returns how many attempts were delayed twice: a defect (RT-20.3).
func (s *Session) DoubleWaits() int { return s.governor.DoubleWaits() }

// Learned returns a stream's cursor for the commit: with the learned rate added if the
// manifest stores the rate on that stream (RT-26), and unchanged otherwise. declared
// are the run's streams.
func (s *Session) Learned(stream string, declared []string, cursor abi.Raw) (abi.Raw, error) {
	// A null cursor means that there is none; it does not become one.
	if stream != s.pacingStream || !slices.Contains(declared, stream) || string(bytes.TrimSpace(cursor)) == "null" {
		return cursor, nil
	}
	return s.governor.Snapshot().Learned().Persist(declared, stream, cursor, s.options.Clock.Now())
}

// Pressure returns the reason of the run's newest stop at the provider's request, "" if
// there was none, and the latest time that the provider gave for the next request, zero
// if it gave none. A stop by a budget or a cap never counts (RT-24).
func (s *Session) Pressure() (reason abi.Reason, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pressure, s.pressureUntil
}

// Standing returns what the next run has to know, as Observer.PauseLearned is told it, and the part
// of until that the provider asked for.
func (s *Session) Standing() (until, told time.Time, reason abi.Reason, learned []byte) {
	now := s.governor.Standing()
	return now.Until, now.Told, now.Reason, now.Learned
}

// Asleep reports whether the run only waits for the end of a pause.
func (s *Session) Asleep() bool { return s.governor.Asleep() }

// Hosts returns the reachable hosts: that of base_url, and those of the manifest.
func (s *Session) Hosts() []string { return slices.Clone(s.hosts) }

// Stopped returns why the run's sending ended as planned: its number of requests, its
// time, its retries, or an open circuit; "" if it did not (RT-24).
func (s *Session) Stopped() abi.Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.planned
}

// do sends a call's request, and records the host's failure until the host answers
// well.
func (s *Session) do(ctx context.Context, c *call) (*send.Response, error) {
	resp, err := s.governor.Do(withCall(ctx, c), c.request)
	place := strings.TrimSuffix(originOf(c.request.URL).hostport(), ":443")
	var stop *send.Stop
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.As(err, &stop) && stop.Cause != "":
		s.cause, s.troubled = stop.Cause, place
	case err == nil && s.troubled == place:
		s.cause, s.troubled = "", ""
	}
	return resp, err
}

// Trouble returns the host that failed last and has not answered well since, with its
// port unless that is 443, and the cause of its failure; "" if there is none. The cause
// abi.CauseRenewedRefused has no host.
func (s *Session) Trouble() (cause abi.Cause, host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause == "" && s.keys.renewedRefused() {
		return abi.CauseRenewedRefused, ""
	}
	return s.cause, s.troubled
}

// Close closes idle connections.
func (s *Session) Close() {
	if s.guard != nil {
		s.guard.Close()
	}
}

// recordStop records the evidence of a stop.
func (s *Session) recordStop(err error) *send.Stop {
	var stop *send.Stop
	if !errors.As(err, &stop) {
		return nil
	}
	switch stop.Reason {
	case abi.ReasonRequestCapReached, abi.ReasonWallClockDeadline, abi.ReasonRetryBudgetExhausted, abi.ReasonCircuitOpen:
		s.mu.Lock()
		s.planned = stop.Reason
		s.mu.Unlock()
	}
	if stop.ArmsCooldown() {
		s.mu.Lock()
		s.pressure = stop.Reason
		// A refusal without a time, or with an earlier one, does not shorten the pause
		// that the provider asked for.
		if stop.NextAttempt.After(s.pressureUntil) {
			s.pressureUntil = stop.NextAttempt
		}
		s.mu.Unlock()
	}
	return stop
}
