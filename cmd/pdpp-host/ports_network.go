package main

import (
	"context"
	"math/rand/v2"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/storage"
)

// networkSender opens sessions of host/send/call for host/run, with the operator's
// settings.
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
		Clock: send.SystemClock{}, Random: rand.Float64, UnpacedLoopback: s.unpaced, Observer: r.Observer,
	}
	if r.Secrets != nil {
		o.Secrets = r.Secrets
	}
	if r.Connection != nil {
		o.Accepted = func(slot string) bool { return r.Connection.Accepts(storage.AcceptSlot, slot) }
	}
	session, err := call.Open(o)
	if err != nil {
		return nil, err
	}
	return session, nil
}
