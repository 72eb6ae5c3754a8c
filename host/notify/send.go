package notify

import (
	"context"
	"io"
	"net/http"

	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// mostAnswer bounds a service's answer, of which nothing is used.
const mostAnswer = 64 << 10

// Sender sends notifications. Safe for concurrent use.
type Sender struct {
	AllowPrivate []string // network.allow_private: the owner's exceptions, each host:port
	PushKey      *PushKey // nil: nothing goes by Web Push
	Egress       egress.Options
}

// Notification is one text on its way.
type Notification struct {
	ID          string // new for each
	Title, Body string
}

// Send sends a notification to a channel's address. Errors are *abi.Error, and hold nothing
// of the address but a host.
func (s *Sender) Send(ctx context.Context, a *Address, n Notification) error {
	kind, _, err := a.Kind()
	switch {
	case err != nil:
		return err
	case kind == WebPush:
		return s.push(ctx, a.Push, n)
	case kind == ByEmail:
		return s.mail(ctx, a.Email, n)
	}
	return s.sendService(ctx, a.Service, n.ID, n.Title, n.Body)
}

// guard is the wall to one host.
func (s *Sender) guard(host string) (*egress.Guard, error) {
	options := s.Egress
	options.MaxWireBytes, options.MaxWholeBytes = mostAnswer, mostAnswer
	guard, err := egress.New(egress.Policy{Hosts: []string{host}, AllowPrivate: s.AllowPrivate}, options)
	if err != nil { // an address of the owner's own network is no host name
		return egress.New(egress.Policy{AllowPrivate: s.AllowPrivate}, options)
	}
	return guard, nil
}

// do makes a request to the host that its URL names, and follows no redirect.
func (s *Sender) do(req *http.Request) error {
	host := req.URL.Hostname()
	guard, err := s.guard(host)
	if err != nil {
		return err
	}
	defer guard.Close()
	resp, err := guard.RoundTrip(req)
	if err != nil {
		return unreachable(host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body) // the status says all
	return answered(host, resp.StatusCode)
}
