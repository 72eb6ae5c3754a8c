package call

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// slot is a credential slot that was checked.
type slot struct {
	abi.CredentialSlot

	hosts map[string]bool
	base  *origin  // where it also goes; nil: nowhere else
	token *url.URL // of OAuth, at base when there is one
}

// readSlots checks the manifest's slots. The manifest's own check has been over
// them; this one is what the placement below relies on.
func readSlots(network *abi.NetworkRequirements, base *origin) (map[string]*slot, error) {
	slots := make(map[string]*slot, len(network.Credentials))
	for i, c := range network.Credentials {
		s := &slot{CredentialSlot: c, hosts: make(map[string]bool), base: base}
		problem := s.check(network)
		if problem == "" && slots[c.Name] != nil {
			problem = "name is given twice"
		}
		for _, other := range slots {
			// Two renewals at a time of a refresh token that is good once would
			// lock the owner out; those of one field take turns.
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

// check completes s, and returns what is wrong with it.
func (s *slot) check(network *abi.NetworkRequirements) string {
	if s.As == "" {
		s.As = abi.SlotRaw
	}
	if s.Key == "" && s.In == abi.SlotHeader && s.As != abi.SlotRaw {
		s.Key = "Authorization"
	}
	for _, h := range s.Hosts {
		host := canonicalHost(h)
		if !names(network, host) {
			return "hosts names one that runtime_requirements.network.hosts does not"
		}
		s.hosts[host] = true
	}
	switch {
	case s.Name == "":
		return "name is missing"
	case len(s.hosts) == 0:
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
	if err != nil || u.Scheme != "https" || u.User != nil || originOf(u).port != "443" || !names(network, originOf(u).host) {
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

// goesTo reports whether the secret may go to o: over https on 443 to a host of
// the slot, or to where the owner put the provider.
func (s *slot) goesTo(o origin) bool {
	return o.scheme == "https" && o.port == "443" && s.hosts[o.host] || s.base != nil && *s.base == o
}

// write returns the secret as the slot writes it.
func (s *slot) write(user, secret string) string {
	switch s.As {
	case abi.SlotBearer:
		return "Bearer " + secret
	case abi.SlotBasic:
		return "Basic " + basicPair(user, secret)
	}
	return secret
}

func basicPair(user, secret string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + secret))
}

// place puts text where the slot says. out is one attempt's own copy.
func (s *slot) place(out *http.Request, body []byte, text string) ([]byte, error) {
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

// occupied reports whether the guest wrote what the slot writes. An address that
// the provider gave with the secret in it, such as that of the next page, has
// redacted in its place, which the secret takes again.
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
