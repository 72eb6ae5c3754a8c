package call

import (
	"net"
	"net/url"
	"strings"
)

// origin is the destination of a request (RFC 6454): the unit to which a credential is
// bound. Its parts are normalised.
type origin struct{ scheme, host, port string }

func originOf(u *url.URL) origin {
	o := origin{u.Scheme, canonicalHost(u.Hostname()), u.Port()}
	if o.port == "" {
		switch o.scheme {
		case "https":
			o.port = "443"
		case "http":
			o.port = "80"
		}
	}
	return o
}

func (o origin) hostport() string { return net.JoinHostPort(o.host, o.port) }

func canonicalHost(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

// canonicalPair normalises host:port; any other text stays as it is.
func canonicalPair(pair string) string {
	host, port, err := net.SplitHostPort(pair)
	if err != nil {
		return pair
	}
	return net.JoinHostPort(canonicalHost(host), port)
}
