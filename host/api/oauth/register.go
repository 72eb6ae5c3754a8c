package oauth

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// The grant types of clients.
const (
	typeCode    = "authorization_code"
	typeRefresh = "refresh_token"
	typeDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

var grantTypes = []string{typeCode, typeRefresh, typeDevice}

// responseCode is the one response type there is.
const responseCode = "code"

// newClient is what a client says of itself (RFC 7591). Other members are passed over.
type newClient struct {
	Name       *string   `json:"client_name"`
	AuthMethod *string   `json:"token_endpoint_auth_method"`
	Redirects  []string  `json:"redirect_uris"`
	GrantTypes *[]string `json:"grant_types"`
	Responses  *[]string `json:"response_types"`
}

type registered struct {
	ID         string   `json:"client_id"`
	IssuedAt   int64    `json:"client_id_issued_at"`
	Name       string   `json:"client_name,omitempty"`
	AuthMethod string   `json:"token_endpoint_auth_method"`
	Redirects  []string `json:"redirect_uris,omitempty"`
	GrantTypes []string `json:"grant_types"`
	Responses  []string `json:"response_types"`
}

// replaced are the methods of a client that gets none: there are no secrets of clients here, and every code
// is bound to a verifier. A server may replace what a client asks for, and says so (RFC 7591, section 3.2.1).
var replaced = []string{authNone, "client_secret_post", "client_secret_basic"}

// mostRedirects bounds the addresses of one client.
const mostRedirects = 10

// register makes a client known (RD-39).
func (c *call) register() (any, error) {
	if c.NoRegistration {
		return nil, wire.NotFound()
	}
	body, err := wire.ReadBody(c.w, c.r)
	if err != nil {
		return nil, err
	}
	var members map[string]jsontext.Value
	if err := wire.Decode(body, &members); err != nil {
		return nil, err
	}
	var n newClient
	if err := json.Unmarshal(body, &n); err != nil {
		return nil, wire.Invalid("", "has a member of the wrong type")
	}
	taken, err := n.check()
	if err != nil {
		return nil, err
	}
	if err := c.limit(&c.shares.clients); err != nil {
		return nil, err
	}
	made, err := c.Desk.Register(c.r.Context(), desk.NewClient{Name: taken.Name, Redirects: taken.Redirects, Refreshes: slices.Contains(taken.GrantTypes, typeRefresh), From: c.from()})
	if err != nil {
		return nil, err
	}
	taken.ID, taken.IssuedAt = made.ID, made.Created.Unix()
	return taken, nil
}

// check returns what this host takes of it.
func (n *newClient) check() (*registered, error) {
	out := &registered{AuthMethod: authNone, GrantTypes: []string{typeDevice}, Responses: []string{}}
	if n.Name != nil {
		out.Name = *n.Name
	}
	if n.AuthMethod != nil && !slices.Contains(replaced, *n.AuthMethod) {
		return nil, wire.Invalid("token_endpoint_auth_method", "is not none")
	}
	var err error
	if out.Redirects, err = n.redirects(); err != nil {
		return nil, err
	}
	if len(out.Redirects) > 0 {
		out.GrantTypes = []string{typeCode} // RFC 7591, section 2
	}
	if n.GrantTypes != nil {
		out.GrantTypes = slices.DeleteFunc(slices.Clone(*n.GrantTypes), func(name string) bool { return !slices.Contains(grantTypes, name) })
	}
	switch redirected := slices.Contains(out.GrantTypes, typeCode); {
	case len(out.GrantTypes) == 0:
		return nil, wire.Invalid("grant_types", "has none that this host knows")
	case redirected && len(out.Redirects) == 0:
		return nil, wrongRedirect("are missing")
	case n.Responses != nil && slices.ContainsFunc(*n.Responses, func(name string) bool { return name != responseCode }):
		return nil, wire.Invalid("response_types", "has another than code")
	case redirected:
		out.Responses = []string{responseCode}
	}
	return out, nil
}

// redirects are those addresses of a client that an owner may be sent back to. The answer names them: an
// app that registers one for each of its editions finds those that it can use (RFC 7591, section 3.2.1).
func (n *newClient) redirects() (taken []string, err error) {
	if len(n.Redirects) > mostRedirects {
		return nil, wrongRedirect("are more than ten")
	}
	wrong := ""
	for _, address := range n.Redirects {
		why := grant.CheckRedirect(address)
		if why != "" && grant.IsScript(address) {
			return nil, wrongRedirect("has one that " + why)
		}
		if wrong = cmp.Or(wrong, why); why != "" {
			continue
		}
		taken = append(taken, address)
	}
	if taken == nil && wrong != "" {
		return nil, wrongRedirect("has one that " + wrong + ", and no other")
	}
	return taken, nil
}

func wrongRedirect(why string) error {
	return &wire.Failure{Status: http.StatusBadRequest, Code: codeRedirect, Message: "redirect_uris " + why, Param: "redirect_uris"}
}
