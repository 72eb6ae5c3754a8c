package call

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send"
)

// Event is one thing that an owner may want to see while a run goes on, or
// afterwards as evidence. It carries no address, header, body or secret.
type Event struct {
	Kind     EventKind             `json:"kind"`
	At       time.Time             `json:"at"`
	Duration time.Duration         `json:"duration_ns,omitempty"` // of a wait that begins
	Asked    bool                  `json:"asked,omitempty"`       // the provider asked for the wait
	Attempt  int                   `json:"attempt,omitempty"`     // of the request that waits
	Circuit  *send.CircuitProgress `json:"circuit,omitempty"`     // of a transition
	Rate     *send.CollectionRate  `json:"rate,omitempty"`        // of a change
}

// EventKind says what happened.
type EventKind string

// The kinds.
const (
	EventWait    EventKind = "wait"    // a request waits for its turn
	EventRetry   EventKind = "retry"   // a request waits before it is sent again
	EventCircuit EventKind = "circuit" // the circuit breaker changed (PB-A9)
	EventRate    EventKind = "rate"    // the rate changed (RT-27)
	EventRenewed EventKind = "renewed" // an access token was renewed
	// EventDisbelieved: the provider named a pause, or the end of a window that is
	// used up, which is more than a day away.
	EventDisbelieved EventKind = "disbelieved"
)

// Text is the event for a progress display; "" when it says nothing to an
// owner.
func (e Event) Text() string {
	var why string
	switch {
	case e.Kind != EventWait && e.Kind != EventRetry:
		return ""
	case e.Asked:
		why = "the service asked for it"
	case e.Kind == EventRetry:
		why = "the service did not answer well"
	default:
		why = "so as not to burden the service"
	}
	return fmt.Sprintf("waiting %d s: %s", int64(math.Ceil(e.Duration.Seconds())), why)
}

const (
	// worthSaying is the shortest wait that is told; pacing makes many shorter
	// ones.
	worthSaying = time.Second
	// rateEvery is how often a rate that only grows is told.
	rateEvery = time.Second
)

// watch tells an observer what is worth telling.
type watch struct {
	observe func(Event)

	mu      sync.Mutex
	told    send.CollectionRate
	backoff send.Backoff
	at      time.Time
}

func (w *watch) tell(e Event) {
	if w.observe != nil {
		w.observe(e)
	}
}

// rate tells a change of the rate: a back-off at once, growth now and then.
func (w *watch) rate(now time.Time, g *send.Governor) {
	if w.observe == nil {
		return
	}
	r := g.CollectionRate()
	if r == nil {
		return
	}
	var backoff send.Backoff
	if r.LastBackoff != nil {
		backoff = *r.LastBackoff
	}
	w.mu.Lock()
	news := backoff != w.backoff || r.EffectiveRatePerMin != w.told.EffectiveRatePerMin && now.Sub(w.at) >= rateEvery
	if news {
		w.told, w.backoff, w.at = *r, backoff, now
	}
	w.mu.Unlock()
	if news {
		w.tell(Event{Kind: EventRate, At: now, Rate: r})
	}
}

// observe takes the governor's events.
func (s *Session) observe(e send.Event) {
	switch e.Kind {
	case send.EventSend:
		if e.Attempt > 1 {
			s.wire.ledger.count(1, 0)
		}
	case send.EventAnswer:
		if e.Refused {
			s.wire.ledger.count(0, 1)
		}
	case send.EventHold:
		if e.Duration >= worthSaying {
			s.watch.tell(Event{Kind: EventWait, At: e.At, Duration: e.Duration, Asked: e.Told, Attempt: e.Attempt})
		}
	case send.EventBackoff:
		s.watch.rate(e.At, s.governor)
		if e.Duration >= worthSaying {
			s.watch.tell(Event{Kind: EventRetry, At: e.At, Duration: e.Duration, Asked: e.Told, Attempt: e.Attempt})
		}
	case send.EventDisbelieved:
		s.watch.tell(Event{Kind: EventDisbelieved, At: e.At, Attempt: e.Attempt})
	case send.EventCircuit:
		s.watch.tell(Event{Kind: EventCircuit, At: e.At, Circuit: new(s.governor.CircuitProgress(*e.Circuit))})
	}
}
