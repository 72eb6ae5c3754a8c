package call

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// slot is a checked credential slot.
type slot struct {
	abi.CredentialSlot

	hosts map[string]bool
	base  *origin  // another allowed destination; nil: none
	token *url.URL // of OAuth, at base if there is one
}

// readSlots checks the manifest's slots. The manifest was checked before; the
// placement below relies on this second check.
func readSlots(network *abi.NetworkRequirements, base *origin) (map[string]*slot, error) {
	slots := make(map[string]*slot, len(network.Credentials))
	for i, c := range network.Credentials {
		s := &slot{CredentialSlot: c, hosts: make(map[string]bool), base: base}
		problem := s.check(network)
		if problem == "" && slots[c.Name] != nil {
			problem = "name is given twice"
		}
		for _, other := range slots {
			// Two concurrent renewals of a refresh token that is valid once would lock
			// the owner out. Renewals of one field run one after the other.
			if s.OAuth != nil && other.OAuth != nil && other.Field != s.Field && other.OAuth.RefreshField == s.OAuth.RefreshField {
				problem = "oauth2.refresh_field is that of another access token"
			}
		}
		if problem != "" {
			return nil, abi.NewError(CodeSlotInvalid, fmt.Sprintf("credential slot %d of the manifest: %s", i, problem),
				"correct runtime_requirements.network.credentials")
		}
		slots[c.Name] = s
	}
	return slots, nil
}

// check completes s, and returns its first problem.
func (s *slot) check(network *abi.NetworkRequirements) string {
	if s.As == "" {
		s.As = abi.SlotRaw
	}
	if s.Key == "" && s.In == abi.SlotHeader && s.As != abi.SlotRaw {
		s.Key = "Authorization"
	}
	for _, h := range s.Hosts {
		host := canonicalHost(h)
		if !declaresHost(network, host) {
			return "hosts names one that runtime_requirements.network.hosts does not"
		}
		s.hosts[host] = true
	}
	switch {
	case s.Name == "":
		return "name is missing"
	case len(s.hosts) == 0 && network.OwnServer() == nil:
		return "hosts is empty"
	case s.In != abi.SlotHeader && s.In != abi.SlotQuery && s.In != abi.SlotBody:
		return "in is none of header, query, body"
	case s.Key == "":
		return "key is missing"
	case s.In == abi.SlotHeader && egress.CheckHeaders(http.Header{s.Key: {""}}) != nil:
		return "key is no header that can be written"
	case s.As != abi.SlotRaw && s.As != abi.SlotBearer && s.As != abi.SlotBasic:
		return "as is none of raw, bearer, basic"
	case s.As != abi.SlotRaw && s.In != abi.SlotHeader:
		return "bearer and basic stand in a header"
	case s.Format != "" && (s.As != abi.SlotRaw || s.In != abi.SlotHeader || strings.Count(s.Format, "{}") != 1):
		return "format has one {}, and stands in a header"
	case s.Field == "":
		return "field is missing"
	case s.OAuth != nil && s.As == abi.SlotBasic:
		return "an access token is not written as basic"
	}
	return s.checkOAuth(network)
}

func (s *slot) checkOAuth(network *abi.NetworkRequirements) string {
	if s.OAuth == nil {
		return ""
	}
	u, err := url.Parse(s.OAuth.TokenURL)
	if err != nil || u.Scheme != "https" || u.User != nil || originOf(u).port != "443" || !declaresHost(network, originOf(u).host) {
		return "oauth2.token_url is no https address on a host of the manifest"
	}
	if s.OAuth.RefreshField == "" || s.OAuth.ClientIDField == "" {
		return "oauth2.refresh_field and client_id_field are needed"
	}
	if credentialKey(u.RawQuery, new(slot)) != "" {
		return "oauth2.token_url carries a credential"
	}
	u.Fragment = ""
	if s.base != nil {
		u.Scheme, u.Host = s.base.scheme, s.base.hostport()
	}
	s.token = u
	return ""
}

// goesTo reports whether the secret may be sent to o: over https on 443 to a host of
// the slot, or to the owner's address for the provider.
func (s *slot) goesTo(o origin) bool {
	return o.scheme == "https" && o.port == "443" && s.hosts[o.host] || s.base != nil && *s.base == o
}

// write returns the secret in the slot's written form.
func (s *slot) write(user, secret string) string {
	switch s.As {
	case abi.SlotBearer:
		return "Bearer " + secret
	case abi.SlotBasic:
		return "Basic " + basicPair(user, secret)
	}
	if s.Format != "" {
		return strings.Replace(s.Format, "{}", secret, 1)
	}
	return secret
}

func basicPair(user, secret string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + secret))
}

// placeSecret puts text into the slot's place. out is one attempt's own copy.
func (s *slot) placeSecret(out *http.Request, body []byte, text string) ([]byte, error) {
	switch s.In {
	case abi.SlotHeader:
		out.Header[http.CanonicalHeaderKey(s.Key)] = []string{text}
	case abi.SlotQuery:
		out.URL.RawQuery = withQuery(out.URL.RawQuery, s.Key, text)
	default:
		return placeInBody(out.Header.Get("Content-Type"), body, s.Key, text)
	}
	return body, nil
}

// occupied reports whether the guest wrote the slot's own place. An address that the
// provider gave with the secret in it, such as that of the next page, contains
// redacted in its place, which the secret replaces again.
func (s *slot) occupied(h http.Header, u *url.URL) bool {
	switch s.In {
	case abi.SlotHeader:
		return len(h[http.CanonicalHeaderKey(s.Key)]) > 0
	case abi.SlotQuery:
		for p := range parametersOf(u.RawQuery) {
			if sameName(p.name, s.Key) && p.value != redacted {
				return true
			}
		}
	}
	return false
}
