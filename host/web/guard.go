package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/passkey"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// Guard stands before the faces of a host. It is safe for concurrent use.
type Guard struct {
	// As returns an owner who asks as that actor. It is for one request.
	As func(owner.Actor) *owner.Owner
	// Origin is what a browser's address begins with where that is not the listening
	// address, as in "https://pdpp.example.org"; "": it is not known.
	Origin string
	// Listening is the host and port that is listened on.
	Listening netip.AddrPort
	// BehindProxy says that requests come through a proxy alone, whose last word in
	// X-Forwarded-For is believed.
	BehindProxy bool
	// Attempts remembers failed sign-ins of all faces. Changes remembers wrong passwords that
	// signed-in browsers gave to replace the password: strangers fill the first one alone.
	Attempts, Changes access.Attempts
	// Ceremonies are those of passkeys.
	Ceremonies passkey.Ceremonies
}

// Owner returns an owner who asks as the caller of a request does, or as a visitor.
func (g *Guard) Owner(r *http.Request) *owner.Owner {
	if c := CallerOf(r.Context()); c != nil {
		return g.As(c.Actor)
	}
	return g.As(owner.Actor{Face: owner.BrowserSession, Address: g.Address(r)})
}

// Address is who asks, without the port.
func (g *Guard) Address(r *http.Request) string {
	if said := r.Header.Values("X-Forwarded-For"); g.BehindProxy && len(said) > 0 {
		last := said[len(said)-1] // some proxies add to the visitor's line, others a line of their own
		last = last[strings.LastIndexByte(last, ',')+1:]
		if a, err := netip.ParseAddr(strings.TrimSpace(last)); err == nil {
			return a.Unmap().String()
		}
	}
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return at.Addr().Unmap().WithZone("").String()
	}
	return ""
}

// From is who asks, as attempts are counted.
func (g *Guard) From(r *http.Request) netip.Prefix {
	return listen.AddressOf(net.JoinHostPort(g.Address(r), "0"))
}

// Knows reports whether the request's Host is a name that this host was told of: the origin,
// the listening address, or a loopback name with its port. A page of somebody else's that
// turned its own name into this machine's address has another one (DNS rebinding, OC-05.1).
func (g *Guard) Knows(host string) bool {
	host = strings.ToLower(host)
	if g.Origin != "" && host == hostOf(g.Origin) {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, "80"
	}
	if p := g.Listening.Port(); port != itoa(p) {
		return false
	}
	at, err := netip.ParseAddr(strings.Trim(name, "[]"))
	switch {
	case err != nil:
		return name == "localhost" && g.local()
	case at.IsLoopback():
		return g.local()
	}
	return at == g.Listening.Addr().Unmap()
}

// Base is what the addresses that a request is told begin with (RD-01.1). Its Host is one that
// Knows.
func (g *Guard) Base(r *http.Request) string {
	switch {
	case g.Origin != "":
		return g.Origin
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// local reports whether this machine itself reaches the listening address by a loopback one.
func (g *Guard) local() bool {
	a := g.Listening.Addr()
	return a.IsLoopback() || a.IsUnspecified()
}

// Secure reports whether the browser speaks TLS, to this host or to its proxy.
func (g *Guard) Secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(g.Origin, "https://") && strings.EqualFold(r.Host, hostOf(g.Origin))
}

func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Host
}
