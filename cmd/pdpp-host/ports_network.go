package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/storage"
)

// networkSender is host/send/call behind the port of host/run.
type networkSender struct {
	allowPrivate []string
	bytesOut     int64
	requests     int64 // of one run; 0: any number
	unpaced      bool  // towards this machine
}

func (a *app) networkSender(c *config.Config, f runFlags) *networkSender {
	s := &networkSender{allowPrivate: c.AllowPrivate(), bytesOut: c.BytesOut(), requests: c.Requests()}
	if f.maxRequests > 0 {
		s.requests = f.maxRequests
	}
	return s
}

// Open implements run.Sender.
func (s *networkSender) Open(_ context.Context, r run.SendRun) (run.Sending, error) {
	o := call.Options{
		Network: r.Manifest.Requirements.Network, Connector: r.Manifest.ConnectorKey, AllowPrivate: s.allowPrivate,
		BaseURL: r.Options[run.OptionBaseURL], MaxBytesOut: s.bytesOut,
		Run: send.NewRunBudget(s.requests, r.MaxWall), Retries: send.RetryBudgetFor(s.requests),
		State: func(stream string) []byte { return r.Cursors[stream] },
		Clock: send.SystemClock{}, Random: rand.Float64, UnpacedLoopback: s.unpaced,
	}
	if r.Secrets != nil {
		o.Secrets = r.Secrets
	}
	if r.Connection != nil {
		o.Accepted = func(slot string) bool { return r.Connection.Accepts(storage.AcceptSlot, slot) }
	}
	if r.Observe != nil {
		o.Observe = func(e call.Event) { forward(e, r.Observe) }
	}
	session, err := call.Open(o)
	if err != nil {
		return nil, err
	}
	return &sending{Session: session, declared: r.Streams}, nil
}

// forward hands a session's event on in the words of host/run.
func forward(e call.Event, to func(run.SendingEvent)) {
	switch e.Kind {
	case call.EventWait, call.EventRetry:
		to(run.SendingEvent{Wait: &run.SendingWait{Until: e.At.Add(e.Duration), Asked: e.Asked}})
	case call.EventDisbelieved:
		to(run.SendingEvent{Disbelieved: true})
	case call.EventRate:
		to(run.SendingEvent{Rate: rateOf(e.Rate)})
	case call.EventCircuit:
		if raw, err := json.Marshal(e.Circuit); err == nil {
			to(run.SendingEvent{Circuit: raw})
		}
	}
}

// sending is a call.Session in the words of host/run.
type sending struct {
	*call.Session

	declared []string
}

// Counts implements run.Sending.
func (s *sending) Counts() run.RequestCounts {
	n := s.Session.Counts()
	return run.RequestCounts{
		Sent: n.Sent, Retried: n.Retried, Throttled: n.Throttled, Answered: n.Answered, BytesOut: n.BytesOut, BytesIn: n.BytesIn,
	}
}

// Destinations implements run.Sending.
func (s *sending) Destinations() []storage.Destination {
	var out []storage.Destination
	for _, d := range s.Session.Destinations() {
		out = append(out, storage.Destination{Host: d.Host, Requests: d.Requests, BytesOut: d.BytesOut, BytesIn: d.BytesIn})
	}
	return out
}

// Learned implements run.Sending.
func (s *sending) Learned(stream string, cursor []byte) ([]byte, error) {
	return s.Session.Learned(stream, s.declared, cursor)
}

// Pressure implements run.Sending.
func (s *sending) Pressure() *storage.Pressure {
	p := s.Session.Pressure()
	if p == nil {
		return nil
	}
	return &storage.Pressure{Reason: string(p.Reason), NextAttempt: p.NextAttempt}
}

// Trouble implements run.Sending.
func (s *sending) Trouble() (cause abi.Cause, host string) {
	t := s.Session.Trouble()
	return t.Cause, t.Host
}

// Rate implements run.Sending.
func (s *sending) Rate() *run.Rate {
	return rateOf(s.Session.Rate())
}

func rateOf(r *send.CollectionRate) *run.Rate {
	if r == nil {
		return nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil
	}
	return &run.Rate{PerMinute: r.EffectiveRatePerMin, CeilingPerMinute: r.CeilingRatePerMin, Raw: raw}
}

var _ run.Sending = (*sending)(nil)

// sourcePressure are the gap reasons that put a run off.
func sourcePressure() []string {
	out := make([]string, len(abi.SourcePressure))
	for i, r := range abi.SourcePressure {
		out[i] = string(r)
	}
	return out
}
