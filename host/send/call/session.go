package call

import (
	"bytes"
	"context"
	"errors"
	"net/http"
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
	guard        *egress.Guard // nil in front of a test's transport

	mu       sync.Mutex
	pressure *Pressure
	planned  abi.Reason
	trouble  Trouble
}

// Trouble is why a host did not answer well.
type Trouble struct {
	Cause abi.Cause
	Host  string // with its port where that is not 443
}

// Pressure is a stop for the provider's own sake: what defers the next run.
type Pressure struct {
	Reason      abi.Reason
	Attempts    int
	Status      int
	NextAttempt time.Time // zero: the provider named none
}

// Do answers one request of the http operation, as abi/http.go describes it:
// reply is called once, before Do returns. Do never fails: what went wrong is the
// answer. A large answer has its place until reply has returned, see mostLarge.
// request must not change any more, also after Do has returned: the line may
// still be reading it.
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

// send sends a call, and once more when its access token turned out to be
// expired.
func (s *Session) send(ctx context.Context, c *call) (*send.Response, error) {
	for again := false; ; again = true {
		if c.slot != nil {
			if err := s.ready(ctx, c.slot); err != nil {
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

// ready sees to it that a slot has a secret to place.
func (s *Session) ready(ctx context.Context, slot *slot) error {
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

// Counts returns what was sent and received so far.
func (s *Session) Counts() Counts {
	l := s.wire.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts
}

// Destinations returns where it was sent, by host.
func (s *Session) Destinations() []Destination { return s.wire.ledger.destinations() }

// Rate returns the live rate (RT-27); nil when pacing is switched off.
func (s *Session) Rate() *send.CollectionRate { return s.governor.CollectionRate() }

// DoubleWaits returns how many attempts were made to wait twice: a defect
// (RT-20.3).
func (s *Session) DoubleWaits() int { return s.governor.DoubleWaits() }

// Learned returns a stream's cursor as it is to be committed: with the learned
// rate on it when the manifest keeps the rate on that stream (RT-26), and
// otherwise as it is. declared are the run's streams.
func (s *Session) Learned(stream string, declared []string, cursor abi.Raw) (abi.Raw, error) {
	// A null cursor says that there is none: it does not become one.
	if stream != s.pacingStream || !slices.Contains(declared, stream) || string(bytes.TrimSpace(cursor)) == "null" {
		return cursor, nil
	}
	return s.governor.Snapshot().Learned().Persist(declared, stream, cursor, s.options.Clock.Now())
}

// Pressure returns the newest stop of the run that was for the provider's sake;
// nil when there was none. A budget's or a cap's is never one (RT-24).
func (s *Session) Pressure() *Pressure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pressure == nil {
		return nil
	}
	p := *s.pressure
	return &p
}

// Hosts returns what the session reaches: where base_url is, and the hosts of
// the manifest.
func (s *Session) Hosts() []string { return slices.Clone(s.hosts) }

// Stopped returns why the run's sending came to a planned end: its number of
// requests, its time, its retries, or an open circuit; "" when it did not (RT-24).
func (s *Session) Stopped() abi.Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.planned
}

// do sends a call's request, and keeps why its host did not answer well until it does.
func (s *Session) do(ctx context.Context, c *call) (*send.Response, error) {
	resp, err := s.governor.Do(withCall(ctx, c), c.request)
	place := strings.TrimSuffix(originOf(c.request.URL).hostport(), ":443")
	var stop *send.Stop
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.As(err, &stop) && stop.Cause != "":
		s.trouble = Trouble{stop.Cause, place}
	case err == nil && s.trouble.Host == place:
		s.trouble = Trouble{}
	}
	return resp, err
}

// Trouble returns why the host that failed last did not answer well, and has not
// since; the zero value when there is none.
func (s *Session) Trouble() Trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trouble
}

// Close gives up idle connections.
func (s *Session) Close() {
	if s.guard != nil {
		s.guard.Close()
	}
}

// stopped keeps the evidence of a stop.
func (s *Session) stopped(err error) *send.Stop {
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
		p := &Pressure{Reason: stop.Reason, Attempts: stop.Attempts, Status: stop.Status, NextAttempt: stop.NextAttempt}
		// What the provider asked for once is not taken back by a refusal that
		// names no moment, or an earlier one.
		if before := s.pressure; before != nil && before.NextAttempt.After(p.NextAttempt) {
			p.NextAttempt = before.NextAttempt
		}
		s.pressure = p
		s.mu.Unlock()
	}
	return stop
}
