package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// CodeInTheClear refuses what nobody on the way may read.
const CodeInTheClear abi.Code = "web.in_the_clear"

// Browser returns the request with its caller, who is an owner in a browser that is signed in:
// what stands in the header Authorization says nothing of it here. A change needs the proof of
// CheckChange whatever that header says.
func (g *Guard) Browser(r *http.Request) (*http.Request, error) {
	by := r.Clone(r.Context())
	by.Header.Del("Authorization")
	by, err := g.Identify(by)
	if err == nil && CallerOf(by.Context()) == nil {
		err = abi.NewError(access.CodeSignedOut, "no browser that is signed in asks for this", "sign in at the console")
	}
	if err == nil {
		err = g.CheckChange(by)
	}
	if err != nil {
		return nil, err
	}
	return r.WithContext(by.Context()), nil
}

// CheckPrivate returns web.in_the_clear where somebody on the way could read what a browser
// sends: it speaks no TLS, and is not on this machine. Behind a proxy it is not known to be.
func (g *Guard) CheckPrivate(r *http.Request) error {
	if g.Secure(r) {
		return nil
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && from.Addr().Unmap().IsLoopback() && !g.BehindProxy && loopback(r.Host) {
		return nil
	}
	advice := "open the page on the host's own machine, through SSH, or over TLS: docs/console.md says how"
	if strings.HasPrefix(g.Origin, "https://") {
		advice = "open the page at " + g.Origin
	}
	return abi.NewError(CodeInTheClear, "what you type there would cross the network in the clear", advice)
}

// loopback reports whether a host with its port names this machine.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	at, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && at.IsLoopback() || strings.EqualFold(name, "localhost")
}
