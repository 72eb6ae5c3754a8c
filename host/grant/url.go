package grant

import (
	"net/url"
	"strings"
)

// defaultPorts are those that need not stand in an address.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// SameURL reports whether two addresses of a resource are equal (RFC 3986, section 6.2): the case of scheme
// and host, the port that the scheme has anyway, and a slash at the end of the path do not count. An
// address that an owner is sent back to is compared by SameRedirect.
func SameURL(a, b string) bool {
	x, y := plainURL(a), plainURL(b)
	return x != "" && x == y
}

// plainURL is an address as it is compared; "": it is no address of a resource.
func plainURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || strings.Contains(address, "#") || !plainAddress(address) {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":"+defaultPorts[scheme]), ":")
	out := scheme + "://" + host + strings.TrimSuffix(u.EscapedPath(), "/")
	if u.RawQuery != "" || u.ForceQuery {
		out += "?" + u.RawQuery
	}
	return out
}
