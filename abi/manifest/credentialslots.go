package manifest

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const maxSlots = 32

const ruleField = "must be letters, digits, underscores and hyphens, starting with a letter"

// framingHeaders are the headers that the host writes for the connection, the body and
// the cookies. A secret there would be sent where nobody expects one.
var framingHeaders = []string{
	"host", "content-length", "content-type", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect",
	"accept-encoding", "cookie", "cookie2", "via", "forwarded",
}

// readCredentialSlots reads where the host puts secrets. It runs after the hosts and
// the credential fields are read, since slots name both. It refuses a slot that sends
// a secret to a host outside the declared list, or a secret that nobody can enter, so
// that no run fails on it half-way.
func readCredentialSlots(p place, m *abi.Manifest) {
	n := m.Requirements.Network
	if n == nil {
		return
	}
	names := make(map[string]bool)
	for _, item := range p.member("credentials").list(maxSlots) {
		if !item.object() {
			continue
		}
		s := readSlot(item, m)
		if s.Name != "" && names[s.Name] {
			item.member("name").fail("must not be given twice")
		}
		names[s.Name] = true
		n.Credentials = append(n.Credentials, s)
	}
}

func readSlot(p place, m *abi.Manifest) abi.CredentialSlot {
	s := abi.CredentialSlot{Name: required(p, "name", maxName, isIdentifier, ruleIdentifier)}
	s.Hosts = readSlotHosts(p.member("hosts"), m)
	in := p.member("in")
	in.require()
	s.In = in.oneOf(abi.SlotHeader, abi.SlotQuery, abi.SlotBody)
	s.Key = required(p, "key", maxLabel, isSlotKey, "must be letters, digits, and any of - _ . [ ]")
	if s.In == abi.SlotHeader && s.Key != "" && !isCredentialHeader(s.Key) {
		p.member("key").fail("must be the name of a header, and not one that the host writes")
	}
	as := p.member("as")
	if s.As = as.oneOf(abi.SlotRaw, abi.SlotBearer, abi.SlotBasic); !as.present() {
		s.As = abi.SlotRaw
	}
	if s.As != "" && s.As != abi.SlotRaw && s.In != "" && s.In != abi.SlotHeader {
		as.fail("must be raw in a query or a body")
	}
	s.Format = p.member("format").matching(maxLabel, isFormat, "must be visible text with {} once, where the secret goes")
	if s.Format != "" && (s.As != abi.SlotRaw || s.In != abi.SlotHeader) {
		p.member("format").fail("belongs to raw in a header")
	}
	s.Field = required(p, "field", maxLabel, isFieldName, ruleField)
	s.User = p.member("user_field").matching(maxLabel, isFieldName, ruleField)
	switch user := p.member("user_field"); {
	case s.As == abi.SlotBasic:
		user.require()
	case user.present():
		user.fail("belongs to basic alone")
	}
	requireCredential(p.member("user_field"), m, s.User)
	oauth := p.member("oauth2")
	if s.OAuth = readOAuth(oauth, m); s.OAuth == nil {
		requireCredential(p.member("field"), m, s.Field)
		return s
	}
	if s.As == abi.SlotBasic {
		oauth.fail("does not go with basic")
	}
	if s.Field != "" && s.Field == s.OAuth.RefreshField {
		oauth.member("refresh_field").fail("must not be the access token's field")
	}
	return s
}

// readSlotHosts reads where a secret may go: to hosts of the manifest, or to the owner's own
// server and nowhere else.
func readSlotHosts(p place, m *abi.Manifest) []string {
	if m.Requirements.Network.OwnServer() != nil {
		if p.present() {
			p.fail("must not be given: the secret goes to the owner's server alone")
		}
		return nil
	}
	p.requireItems()
	return p.texts(maxHosts, func(q place) string {
		host := q.matching(maxLabel, isHost, ruleHost)
		if host != "" && !declared(m, host) {
			q.fail("must be one of runtime_requirements.network.hosts")
			return ""
		}
		return host
	})
}

// readOAuth reads how an access token is renewed. The host sets the token fields; the
// owner enters the client's id and secret.
func readOAuth(p place, m *abi.Manifest) *abi.OAuth2 {
	if !p.object() {
		return nil
	}
	o := &abi.OAuth2{
		TokenURL: required(p, "token_url", maxSentence, func(s string) bool { return isTokenURL(m, s) },
			"must be an https URL on one of runtime_requirements.network.hosts, without a port, a user or a fragment"),
		RefreshField:      required(p, "refresh_field", maxLabel, isFieldName, ruleField),
		ClientIDField:     required(p, "client_id_field", maxLabel, isFieldName, ruleField),
		ClientSecretField: p.member("client_secret_field").matching(maxLabel, isFieldName, ruleField),
	}
	requireCredential(p.member("client_id_field"), m, o.ClientIDField)
	requireCredential(p.member("client_secret_field"), m, o.ClientSecretField)
	return o
}

// requireCredential records a problem if no credential field or declared variable provides the
// field.
func requireCredential(p place, m *abi.Manifest, field string) {
	if field == "" {
		return
	}
	if c := m.Setup.CredentialCapture; c != nil &&
		slices.ContainsFunc(c.Fields, func(f abi.CredentialField) bool { return f.Name == field }) {
		return
	}
	if a := m.Capabilities.Auth; a != nil && slices.Contains(a.Required, field) {
		return
	}
	p.fail("must be a field of setup.credential_capture or a name of capabilities.auth.required")
}

func declared(m *abi.Manifest, host string) bool {
	return slices.ContainsFunc(m.Requirements.Network.Hosts, func(h abi.NetworkHost) bool { return h.Host == host })
}

// isTokenURL accepts an address that the egress guard can reach: the host sends a
// refresh token there.
func isTokenURL(m *abi.Manifest, s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Host != u.Hostname() ||
		!isHost(u.Host) || u.Host[0] == '*' {
		return false
	}
	return slices.ContainsFunc(m.Requirements.Network.Hosts, func(h abi.NetworkHost) bool {
		suffix, wild := strings.CutPrefix(h.Host, "*")
		return u.Host == h.Host || wild && strings.HasSuffix(u.Host, suffix)
	})
}

// isFormat accepts what a header's value may be, with one place for the secret.
func isFormat(s string) bool {
	return strings.Count(s, "{}") == 1 && every(s, func(c byte) bool { return c >= ' ' && c <= '~' }) && strings.TrimSpace(s) == s
}

func isSlotKey(s string) bool {
	return every(s, func(c byte) bool { return lower(c) || upper(c) || digit(c) || strings.IndexByte("-_.[]", c) >= 0 })
}

func isCredentialHeader(s string) bool {
	name := strings.ToLower(s)
	return every(name, func(c byte) bool { return lower(c) || digit(c) || c == '-' || c == '_' }) &&
		!slices.Contains(framingHeaders, name) && !strings.HasPrefix(name, "proxy-") && !strings.HasPrefix(name, "sec-")
}

// checkPacingStream checks that the manifest declares the stream whose cursor carries
// the learned rate.
func checkPacingStream(p place, m *abi.Manifest) {
	if n := m.Requirements.Network; n != nil && n.PacingStream != "" && m.Stream(n.PacingStream) == nil {
		p.fail("must be one of the streams")
	}
}
