package grant

import (
	"net/url"
	"strings"
)

// longestRedirect bounds an address that an owner is sent back to.
const longestRedirect = 2048

// loopbacks are the hosts at which an app of this machine listens.
var loopbacks = map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true}

// editors are the schemes without a dot of apps that register nothing else. RFC 8252 wants a dot, so
// that no app has another's by chance, and these are theirs by use. An app that took the scheme could do
// nothing with the code that it gets: it lacks the verifier (PKCE).
var editors = map[string]bool{"cursor": true, "vscode": true, "vscode-insiders": true, "vscodium": true, "windsurf": true, "zed": true}

// CheckRedirect says why no owner may be sent back to an address; "": one may. It is https,
// or an app's on the owner's own machine: http to a loopback name, a scheme of its own
// with a dot in it (RD-39.1, RFC 8252), or that of a known editor, with a host.
func CheckRedirect(address string) (why string) {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > longestRedirect || !plainAddress(address):
		return "is no address"
	case strings.Contains(address, "#"):
		return "has a fragment"
	case u.User != nil:
		return "has user info"
	case strings.Contains(u.Host, "*"):
		return "has a wildcard"
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme == "http" && loopbacks[u.Hostname()], strings.Contains(u.Scheme, "."), editors[u.Scheme] && u.Hostname() != "":
		return ""
	}
	return "is neither https, nor http to a loopback name, nor a scheme with a dot, nor a known editor's"
}

// IsLocal reports whether an address is an app's on the machine of the browser that is sent there.
func IsLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && address != "" && (u.Scheme != "https" || loopbacks[u.Hostname()])
}

// IsScript reports whether an address is one that a browser runs or reads by itself: no app is sent an
// answer there, and a client that names it means harm.
func IsScript(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	switch strings.ToLower(strings.TrimSpace(scheme)) {
	case "javascript", "data", "vbscript", "file", "blob", "about":
		return true
	}
	return false
}

// plainAddress reports whether an address is written in visible ASCII, without what browsers
// read as something else.
func plainAddress(address string) bool {
	return !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\\\"<>`{}|^", r) })
}

// SameRedirect reports whether an address is the one that was registered: equal in each
// byte, but for the port of a loopback name, which the system chooses at use (RD-45.1).
func SameRedirect(registered, used string) bool {
	if registered == used {
		return true
	}
	a, b := withoutPort(registered), withoutPort(used)
	return a != "" && a == b
}

// withoutPort is an address at a loopback name without its port; "": it is none.
func withoutPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || CheckRedirect(address) != "" || u.Scheme != "http" {
		return ""
	}
	rest, found := strings.CutPrefix(address, "http://"+u.Host)
	if !found {
		return ""
	}
	return "http://" + u.Hostname() + " " + rest
}
