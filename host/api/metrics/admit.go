package metrics

import (
	"net/http"
	"net/netip"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// forwarding are headers that a proxy adds, which brings others to an address of this machine.
var forwarding = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

// admit returns why a request gets no figures. It needs a token, unless it comes from this
// machine itself to a host that nobody else reaches. A browser's cookie counts for nothing.
func (m *Metrics) admit(r *http.Request) error {
	if !m.Guard.Knows(r.Host) {
		return web.UnknownHost()
	}
	if r.Header.Get("Authorization") == "" {
		if !m.local(r) {
			return refused()
		}
		claimed, err := m.Claimed(r.Context())
		if err == nil && !claimed { // until then, nothing is served of the owner's (OC-03.1)
			err = refused()
		}
		return err
	}
	asks := r.Clone(r.Context())
	asks.Header.Del("Cookie")
	asks, err := m.Guard.Identify(asks)
	if err != nil {
		return err
	}
	who := web.CallerOf(asks.Context())
	if who == nil || who.Actor.Face != owner.APIToken {
		return refused()
	}
	return who.Allows(access.ScopeRead)
}

// local reports whether a request comes from this machine, to a host that listens for it alone.
// Behind a proxy everybody comes from this machine: one shows by the host's settings, or by what
// it adds to the request.
func (m *Metrics) local(r *http.Request) bool {
	g := m.Guard
	if g.BehindProxy || g.Origin != "" || !g.Listening.Addr().IsLoopback() {
		return false
	}
	for _, name := range forwarding {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

func refused() error {
	return abi.NewError(access.CodeTokenRefused, "the request has no token", "make one with `pdpp-host tokens create`, and send it as Authorization: Bearer")
}
