package profile

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CheckAddress refuses the address of a host that no credential may go to.
func CheckAddress(text string) error {
	_, err := Origin(text)
	return err
}

// Origin reads the address of a host: https, or http to this machine itself, and
// nothing behind it but a folder. A credential goes nowhere else.
func Origin(text string) (*url.URL, error) {
	refuse := func(why string) error {
		return abi.NewError(CodeAddress, "the host's address cannot be used: "+why,
			"give an address such as https://host.example, or http://127.0.0.1:PORT on the host itself")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, refuse("it is no address")
	case u.User != nil:
		return nil, refuse("it holds a name or a password")
	case u.Host == "" || u.Hostname() == "":
		return nil, refuse("it names no host")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, refuse("it holds a query or a fragment")
	case u.Scheme == "https":
	case u.Scheme != "http":
		return nil, refuse("it is neither https nor http")
	case !loopback(u.Hostname()):
		return nil, refuse("http is for this machine alone, since a credential is sent")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// loopback reports whether a host's name is this machine and cannot be another.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
