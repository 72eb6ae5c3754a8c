package web

import (
	"net"
	"net/netip"
)

// OriginAt is what a browser on this machine reaches an address at that is listened on.
func OriginAt(host, port string, secure bool) string {
	if at, err := netip.ParseAddr(host); host == "" || err == nil && at.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port)
}

// ExpectedOrigin is what the owner's browser will reach a host at whose configuration says
// so. It is not known of a host that takes a free port, or that listens nowhere: then it is
// the text ORIGIN.
func ExpectedOrigin(origin, listens string, secure bool) (expected string, known bool) {
	if origin != "" {
		return origin, true
	}
	host, port, err := net.SplitHostPort(listens)
	if err != nil || port == "0" {
		return "ORIGIN", false
	}
	return OriginAt(host, port, secure), true
}
