package running

import (
	"context"
	"math/rand/v2"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/host/send/traffic"
	"github.com/pdpp-host/pdpp-host/storage"
)

// sender opens sessions of host/send/call for host/run, with the operator's
// settings.
type sender struct {
	allowPrivate []string
	bytesOut     int64
	requests     int64 // of one run; 0: any number
	unpaced      bool  // towards this machine
	traffic      *traffic.Traffic
}

func newSender(c *config.Config, t *traffic.Traffic, maxRequests int64) *sender {
	s := &sender{allowPrivate: c.AllowPrivate(), bytesOut: c.BytesOut(), requests: c.Requests(), traffic: t}
	if maxRequests > 0 {
		s.requests = maxRequests
	}
	return s
}

// Unpaced is the sender of the contract suite: it does not wait for this machine.
func Unpaced(c *config.Config) run.Sender {
	s := newSender(c, nil, 0)
	s.unpaced = true
	return s
}

// Open implements run.Sender.
func (s *sender) Open(_ context.Context, r run.SendRun) (run.Sending, error) {
	o := call.Options{
		Network: r.Manifest.Requirements.Network, Connector: r.Manifest.ConnectorKey, AllowPrivate: s.allowPrivate,
		BaseURL: r.Options[run.OptionBaseURL], MaxBytesOut: s.bytesOut,
		Run: send.NewRunBudget(s.requests, r.MaxWall).Resting(r.Rested), Retries: send.RetryBudgetFor(s.requests),
		State:   func(stream string) []byte { return r.Cursors[stream] },
		Learned: r.Learned, Clock: send.SystemClock{}, Random: rand.Float64, UnpacedLoopback: s.unpaced, Observer: r.Observer, Hide: r.Hide, Steps: s.traffic.Of(abi.CanonicalKey(r.Manifest.ConnectorKey)),
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
