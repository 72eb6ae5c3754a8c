package oauth

import (
	"context"
	"math"
	"net/http"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// issued are the tokens of a client (RD-47).
type issued struct {
	Access  string          `json:"access_token"`
	Type    string          `json:"token_type"`
	Expires int64           `json:"expires_in,omitempty"`
	Refresh string          `json:"refresh_token,omitempty"`
	Scope   string          `json:"scope,omitempty"`
	GrantID string          `json:"grant_id,omitempty"`
	Details []grant.Granted `json:"authorization_details,omitempty"`
}

// token gives a client its tokens, for a code, a device's code or a refresh token.
func (c *call) token() (any, error) {
	q, err := c.showing(proofOf)
	if err != nil {
		return nil, err
	}
	client, ctx := q.Value("client_id"), c.r.Context()
	required := func(name string) string {
		if q.Value(name) == "" {
			q.Refuse(name, "is missing")
		}
		return q.Value(name)
	}
	kind, scope := required("grant_type"), ""
	if kind == typeRefresh { // RFC 6749, section 6: none that was not granted
		scope = q.Value("scope")
	}
	resource, err := c.meant(q.Value("resource"), scope)
	if err != nil {
		return nil, err
	}
	var give func() (*desk.Issued, error)
	switch kind {
	case typeCode:
		s := desk.CodeShown{Code: required("code"), ClientID: client, Redirect: q.Value("redirect_uri"), Verifier: required("code_verifier"), Resource: resource}
		if !verifier.MatchString(s.Verifier) {
			q.Refuse("code_verifier", "is none")
		}
		give = func() (*desk.Issued, error) { return c.Desk.RedeemCode(ctx, c.witness, s) }
	case typeRefresh:
		secret := required("refresh_token")
		give = func() (*desk.Issued, error) { return c.Desk.Refresh(ctx, c.witness, client, secret, resource) }
	case typeDevice:
		secret := required("device_code")
		give = func() (*desk.Issued, error) { return c.Desk.RedeemDevice(ctx, c.witness, client, secret, resource) }
	}
	if err := q.Known(); err != nil {
		return nil, err
	}
	if give == nil {
		return nil, &wire.Failure{Status: http.StatusBadRequest, Code: "unsupported_grant_type", Message: "grant_type is none that this host knows", Param: "grant_type"}
	}
	if client == "" || c.r.Header.Get("Authorization") != "" {
		return nil, &wire.Failure{Status: http.StatusBadRequest, Code: "invalid_client", Message: "a client names itself with client_id in the form, and has no secret", Param: "client_id"}
	}
	got, err := give()
	if err != nil {
		return nil, err
	}
	out := &issued{Access: got.Token, Type: "Bearer", Refresh: got.Refresh, Expires: int64(math.Floor(got.Expires.Sub(c.Now()).Seconds()))}
	if got.Grant != nil {
		out.Scope, out.GrantID, out.Details = scopeRead, got.Grant.GrantID, got.Grant.Granted()
	}
	return out, nil
}

// witness has the next change of the store leave the event of a client's change.
func (c *call) witness(ctx context.Context, operation, subject string) context.Context {
	return c.witnessOf(c.Guard.Address(c.r))(ctx, operation, subject)
}

func (s *Server) witnessOf(address string) desk.Witness {
	return func(ctx context.Context, operation, subject string) context.Context {
		return s.Witness(ctx, address, operation, subject)
	}
}

// revokeToken ends what a token is of: its grant or, where it speaks for the owner, itself
// (RFC 7009). Whether there was one is not told.
func (c *call) revokeToken() (any, error) {
	q, err := c.showing(func(q *wire.Query) (desk.Proof, string) { return desk.ProofToken, q.Value("token") })
	if err != nil {
		return nil, err
	}
	secret, client := q.Text("token"), q.Value("client_id")
	if client == "" { // as a client does that shows its secret, where it has one
		client, _ = c.basic()
	}
	if secret == "" {
		q.Refuse("token", "is missing")
	}
	if err := q.Known(); err != nil {
		return nil, err
	}
	return struct{}{}, c.Desk.RevokeShown(c.r.Context(), c.witness, client, secret)
}
