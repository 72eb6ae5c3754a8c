package manifest

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const maxHosts = 256

const ruleHost = "must be a host name such as api.example.org: lower case, no wildcard, no address, no port, no scheme"

// readNetwork reads the hosts that the connector may reach. An IP address is refused
// because it tells an owner nothing and bypasses the name that the owner agreed to.
// The egress guard checks the addresses to which a name resolves.
func readNetwork(p place, r *abi.RuntimeRequirements) {
	if !p.object() {
		return
	}
	if _, ok := r.Bindings[abi.BindingNetwork]; !ok {
		p.fail("needs the " + abi.BindingNetwork + " binding")
	}
	n := new(abi.NetworkRequirements)
	seen := make(map[string]bool)
	for _, item := range p.member("hosts").list(maxHosts) {
		if !item.object() {
			continue
		}
		reason := required(item, "reason", maxSentence, anyText, "")
		if option := item.member("option"); option.present() {
			if option.oneOf(abi.OptionBaseURL) != "" && item.member("host").present() {
				item.fail("must have a host or an option, and not both")
			}
			n.Hosts = append(n.Hosts, abi.NetworkHost{Option: abi.OptionBaseURL, Reason: reason})
			continue
		}
		host := required(item, "host", maxLabel, isHost, ruleHost)
		if host == "" {
			continue
		}
		if seen[host] {
			item.member("host").fail("must not be given twice")
			continue
		}
		seen[host] = true
		n.Hosts = append(n.Hosts, abi.NetworkHost{Host: host, Reason: reason})
	}
	if n.OwnServer() != nil && len(n.Hosts) > 1 {
		// A secret goes to every address of the owner's: another service's must not be beside it.
		p.member("hosts").fail("must have nothing beside an option")
	}
	n.Provider = readProvider(p.member("provider"))
	n.PacingStream = p.member("pacing_stream").matching(maxName, isIdentifier, ruleIdentifier)
	r.Network = n
}

// checkOwnServer checks that the owner can set the option with the address of their server.
func checkOwnServer(hosts place, m *abi.Manifest) {
	n := m.Requirements.Network
	if n == nil || n.OwnServer() == nil {
		return
	}
	if !slices.ContainsFunc(m.Options, func(o abi.Option) bool { return o.Name == abi.OptionBaseURL && o.Type == abi.OptionString }) {
		hosts.fail("names the option " + abi.OptionBaseURL + ", which must be one of options, of type string")
	}
}

// isHost accepts a lower-case DNS name (RFC 1123) of at least two labels. It accepts
// no wildcard, since an owner agrees to names.
func isHost(s string) bool {
	labels := strings.Split(s, ".")
	if len(s) > 253 || len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if !isHostLabel(l) {
			return false
		}
	}
	// A last label that starts with a digit belongs to an address, 127.0.0.1 as well
	// as 0x7f.1; no top-level domain starts with one.
	if digit(labels[len(labels)-1][0]) {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err != nil
}

func isHostLabel(s string) bool {
	word := func(c byte) bool { return lower(c) || digit(c) || c == '-' }
	return len(s) <= 63 && every(s, word) && s[0] != '-' && s[len(s)-1] != '-'
}
