package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// onlyTLS has a browser speak TLS alone to a name, for a year.
const onlyTLS = "max-age=31536000"

// Door stands before every path of a host, whichever face answers it. A browser that reached the
// host by TLS is told to speak nothing else to its name, and a connection ends behind a
// request whose length may be told in two ways: what follows on it could be another's (RFC 9112,
// section 6.3). The server has taken the Content-Length away by then, so that each request
// in chunks counts as one.
func (g *Guard) Door(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.Secure(r) && g.Knows(r.Host) && usualPort(r.Host) {
			w.Header().Set("Strict-Transport-Security", onlyTLS)
		}
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// usualPort reports whether a host has the port of https. A browser keeps to TLS at every port of a
// name, and the programs at its other ports may not speak it.
func usualPort(host string) bool {
	_, port, err := net.SplitHostPort(host)
	return err != nil || port == "443"
}

// Named answers with next what asks by a name that this host has (OC-05.1), and refuses the rest in
// text: a program such as a collector takes that for a wrong address, and keeps what it has. It is
// for the faces that have no form of their own for it, and takes the address too that the
// request's connection has come to: a program that watches over the host asks by that, and no page
// of somebody else's can.
func (g *Guard) Named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.Knows(r.Host) || cameTo(r) {
			next.ServeHTTP(w, r)
			return
		}
		confine(w.Header())
		err := UnknownHost()
		http.Error(w, err.Message+"; "+err.Hint, Status(abi.CodeOf(err)))
	})
}

// cameTo reports whether a request asks by the address and the port that its connection has come to.
func cameTo(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	host, port, err := net.SplitHostPort(r.Host)
	switch {
	case err == nil:
	case r.TLS != nil:
		host, port = r.Host, "443"
	default:
		host, port = r.Host, "80"
	}
	asked, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return ok && err == nil && asked == local.AddrPort().Addr().Unmap().WithZone("") && port == itoa(local.AddrPort().Port())
}
