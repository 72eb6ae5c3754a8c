package call

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// Observer receives what an owner may want to see during a run, or afterwards as
// evidence: no address, header, body or secret. The goroutine of a request calls it
// without a lock held, so it must be quick and safe for concurrent use.
type Observer interface {
	// Waiting reports that a request is sent at until, and whether the provider asked
	// for the wait or the pace did.
	Waiting(until time.Time, asked bool)
	// RateChanged reports a change of the pace (RT-27).
	RateChanged(rate *abi.CollectionRate)
	// CircuitChanged reports a change of the circuit breaker, in the form of a
	// PROGRESS's provider_budget (PB-D6, PB-A9).
	CircuitChanged(change abi.Raw)
	// PauseDisbelieved reports that the provider gave a pause, or the end of an
	// exhausted window, that is more than a day away; the host does not wait for it.
	PauseDisbelieved()
	// PauseLearned reports what the next run has to know (AC-13): until when nothing is sent, and
	// why, zero and "" if something is; and what Options.Learned takes. It alone may take its
	// time: it returns when that is durable, and the wait begins after that.
	PauseLearned(until time.Time, reason abi.Reason, learned []byte)
}

const (
	// shortestWait is the shortest wait that is reported; pacing makes many shorter
	// ones.
	shortestWait = time.Second
	// rateEvery is how often a growing rate is reported.
	rateEvery = time.Second
)

// watch reports the steps that matter to an owner.
type watch struct {
	observer Observer // nil: no observer

	mu       sync.Mutex
	reported abi.CollectionRate
	backoff  abi.Backoff
	at       time.Time
}

// step reports a step of the governor.
func (w *watch) step(e send.Event, g *send.Governor) {
	if w.observer == nil {
		return
	}
	switch e.Kind {
	case send.EventHold:
		w.wait(e)
	case send.EventBackoff:
		w.rate(e.At, g)
		w.wait(e)
	case send.EventDisbelieved:
		w.observer.PauseDisbelieved()
	case send.EventCircuit:
		if change, err := json.Marshal(g.CircuitProgress(*e.Circuit)); err == nil {
			w.observer.CircuitChanged(change)
		}
	}
}

func (w *watch) wait(e send.Event) {
	if e.Duration >= shortestWait {
		w.observer.Waiting(e.At.Add(e.Duration), e.Told)
	}
}

// rate reports a change of the rate: a back-off at once, growth now and then.
func (w *watch) rate(now time.Time, g *send.Governor) {
	if w.observer == nil {
		return
	}
	r := g.CollectionRate()
	if r == nil {
		return
	}
	var backoff abi.Backoff
	if r.LastBackoff != nil {
		backoff = *r.LastBackoff
	}
	w.mu.Lock()
	changed := backoff != w.backoff || r.EffectiveRatePerMin != w.reported.EffectiveRatePerMin && now.Sub(w.at) >= rateEvery
	if changed {
		w.reported, w.backoff, w.at = *r, backoff, now
	}
	w.mu.Unlock()
	if changed {
		w.observer.RateChanged(r)
	}
}

// observe receives the governor's events.
func (s *Session) observe(e send.Event) {
	switch {
	case e.Kind == send.EventSend && e.Attempt > 1:
		s.wire.ledger.count(1, 0)
	case e.Kind == send.EventAnswer && e.Refused:
		s.wire.ledger.count(0, 1)
	}
	s.watch.step(e, s.governor)
	if s.options.Steps != nil {
		s.options.Steps(e)
	}
}
