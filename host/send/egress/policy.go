package egress

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Policy lists the reachable hosts.
type Policy struct {
	// Hosts are the manifest's hosts: names without a port, reached over https on 443.
	Hosts []string
	// Servers are the owner's own servers, each host:port, reached over https at a public
	// address. A private one needs AllowPrivate, too.
	Servers []string
	// AllowPrivate are the owner's exceptions, each host:port. Plain http, and private
	// or loopback addresses, are allowed only there; metadata and link-local addresses
	// are never allowed.
	AllowPrivate []string
}

// rules is a parsed Policy.
type rules struct {
	hosts   map[string]bool
	servers map[string]bool
	private map[string]bool
}

func (p Policy) rules() (rules, error) {
	r := rules{make(map[string]bool), make(map[string]bool), make(map[string]bool)}
	for _, s := range p.Servers {
		host, port, err := net.SplitHostPort(s)
		if err != nil || host == "" || port == "" {
			return r, abi.NewError(CodePolicyInvalid, fmt.Sprintf("%q is not the host:port of a server", s), "write a pair such as media.example.org:8920")
		}
		r.servers[net.JoinHostPort(canonical(host), port)] = true
	}
	for _, h := range p.Hosts {
		name := canonical(h)
		if !validHost(name) {
			return r, abi.NewError(CodePolicyInvalid, fmt.Sprintf("%q is not a host name", h), "write a name such as api.example.com")
		}
		r.hosts[name] = true
	}
	for _, e := range p.AllowPrivate {
		host, port, err := net.SplitHostPort(e)
		if err != nil || host == "" || port == "" {
			return r, abi.NewError(CodePolicyInvalid, fmt.Sprintf("network.allow_private: %q is not host:port", e), "write a pair such as localhost:8080")
		}
		r.private[net.JoinHostPort(canonical(host), port)] = true
	}
	return r, nil
}

// validHost reports whether a name can be compared as text: dotted labels of ASCII
// letters, digits, - and _, and not an address.
func validHost(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.Trim(last, "0123456789") != "" // some resolvers read 1.2.3 and 0x7f.1 as addresses
}

func canonical(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

// check returns why a request for u is refused; nil if it may be sent. An error names
// the host and never the path or the query.
func (r rules) check(u *url.URL) error {
	host, port := canonical(u.Hostname()), u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	excepted := r.private[net.JoinHostPort(host, port)]
	switch {
	case u.User != nil:
		return abi.NewError(CodeHostRefused, "the address carries a user name", "leave it out of the address")
	case u.Scheme != "https" && (u.Scheme != "http" || !excepted):
		return abi.NewError(CodeSchemeRefused, fmt.Sprintf("%s is requested over %q", quoted(host), u.Scheme),
			"use https, or "+except(net.JoinHostPort(host, port)))
	case excepted, r.servers[net.JoinHostPort(host, port)]:
		return nil
	case !r.hosts[host]:
		return abi.NewError(CodeHostRefused, "the manifest does not name the host "+quoted(host),
			"list it under runtime_requirements.network.hosts")
	case port != "443":
		return abi.NewError(CodeHostRefused, fmt.Sprintf("port %s of %s is not 443", quoted(port), quoted(host)),
			"use the standard port, or "+except(net.JoinHostPort(host, port)))
	}
	return nil
}

// except says how a server is excepted.
func except(hostport string) string {
	return "add " + hostport + " to network.allow_private, or to PDPP_NETWORK_ALLOW_PRIVATE, if it is a server of your own network"
}

// quoted bounds a guest's text for use in an error.
func quoted(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// allowed reports whether a connection to a may be made for the dialled hostport.
func (r rules) allowed(hostport string, a netip.Addr) (Class, bool) {
	class := Classify(a)
	switch class {
	case Public:
		return class, true
	case Loopback, Private:
		host, port, err := net.SplitHostPort(hostport)
		return class, err == nil && r.private[net.JoinHostPort(canonical(host), port)]
	}
	return class, false
}
