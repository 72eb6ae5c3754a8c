package session

import (
	"context"
	"net"
	"net/url"
	"os"

	"github.com/pdpp-host/pdpp-host/host/browser"
	"github.com/pdpp-host/pdpp-host/host/browser/find"
	"github.com/pdpp-host/pdpp-host/host/browser/gate"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// machine is the browser of this machine.
type machine struct {
	session *Session
	config  *config.Config
}

// Find looks for the program.
func (m *machine) Find() (string, error) {
	return find.Here(m.session.Home).Browser(m.config.Browser())
}

// Prove starts it. It may reach no host at all.
func (m *machine) Prove(ctx context.Context, program string) (proof *owner.BrowserProof, err error) {
	guard, err := egress.New(egress.Policy{}, egress.Options{})
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	p, err := browser.Prove(ctx, browser.Request{
		Program: program, Lang: os.Getenv("LANG"), Unsandboxed: m.config.AllowNoSandbox(), Random: m.session.Random,
		Admitter: admitAll{}, Dialer: &dialer{guard},
	})
	if err != nil {
		return nil, err
	}
	return &owner.BrowserProof{Product: p.Product, Unsandboxed: m.config.AllowNoSandbox(), Shown: p.Walled}, nil
}

// admitAll lets every request come to the wall, which is to be proven.
type admitAll struct{}

// Admit admits r.
func (admitAll) Admit(context.Context, gate.Request) error { return nil }

// dialer is the wall's way out, behind the host's rules for names and addresses.
type dialer struct{ guard *egress.Guard }

// Dial connects to hostport, where the rules allow it.
func (d *dialer) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	if err := d.guard.Check(&url.URL{Scheme: "https", Host: hostport}); err != nil {
		return nil, err
	}
	return d.guard.Dial(ctx, "tcp", hostport)
}
