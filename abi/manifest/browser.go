package manifest

import (
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	maxBrowserHosts = 64
	ruleStart       = "must be an address such as https://www.example.org/account, without a user, a port or a fragment"
	ruleSuffix      = "must be a name of two labels or more, as in cdn.example.org"
)

// readBrowser reads what the connector needs of a browser. Every key is known: one that is
// mistyped would leave a door shut or open that its author meant otherwise.
func readBrowser(p place, r *abi.RuntimeRequirements) {
	if !p.object() {
		return
	}
	p.refuseOthers("a browser", "start_url", "mode", "downloads", "screenshots", "bypass_csp", "http_session", "session_cookies", "hosts")
	_, one := r.Bindings[abi.BindingBrowser]
	_, other := r.Bindings[abi.BindingBrowserLegacy]
	if !one && !other {
		p.fail("needs the " + abi.BindingBrowser + " binding")
	}
	b := &abi.BrowserRequirements{StartURL: required(p, "start_url", maxSentence, isStart, ruleStart), Downloads: p.member("downloads").boolean()}
	b.HTTP = p.member("http_session").boolean()
	b.Pictures, b.BypassCSP = p.member("screenshots").boolean(), p.member("bypass_csp").boolean()
	b.Mode = p.member("mode").oneOf(abi.BrowserAny, abi.BrowserHeadfulPreferred, abi.BrowserHeadfulRequired)
	b.Session = p.member("session_cookies").oneOf(abi.SessionKeep, abi.SessionDrop)
	hosts := p.member("hosts")
	hosts.requireItems()
	seen := make(map[string]bool)
	for _, item := range hosts.list(maxBrowserHosts) {
		h, ok := readBrowserHost(item)
		if !ok {
			continue
		}
		if name := h.Host + " " + h.Suffix; seen[name] {
			item.fail("must not be given twice")
		} else {
			seen[name] = true
			b.Hosts = append(b.Hosts, h)
		}
	}
	if b.StartURL != "" && !startsAtProvider(b) {
		p.member("start_url").fail("must be at a host of role " + abi.RoleProvider)
	}
	r.Browser = b
}

func readBrowserHost(item place) (h abi.BrowserHost, ok bool) {
	if !item.object() {
		return h, false
	}
	item.refuseOthers("a host", "host", "suffix", "role", "reason")
	item.member("role").require()
	h.Role = item.member("role").oneOf(abi.RoleProvider, abi.RoleAsset, abi.RoleSignIn)
	h.Reason = required(item, "reason", maxSentence, anyText, "")
	h.Host, h.Suffix = item.member("host").matching(maxLabel, isHost, ruleHost), item.member("suffix").matching(maxLabel, isHost, ruleSuffix)
	switch {
	case item.member("host").present() == item.member("suffix").present():
		item.fail("must have either host or suffix")
		return h, false
	case h.Suffix != "" && h.Role == abi.RoleProvider:
		item.member("suffix").fail("must not be of role " + abi.RoleProvider + ": the owner agrees to each host that the data comes from")
		return h, false
	}
	return h, h.Role != "" && (h.Host != "" || h.Suffix != "")
}

func isStart(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.User == nil && u.Fragment == "" && isHost(u.Host)
}

func startsAtProvider(b *abi.BrowserRequirements) bool {
	host, _, _ := strings.Cut(strings.TrimPrefix(b.StartURL, "https://"), "/")
	host, _, _ = strings.Cut(host, "?")
	for _, h := range b.Hosts {
		if h.Role == abi.RoleProvider && h.Host == host {
			return true
		}
	}
	return false
}
