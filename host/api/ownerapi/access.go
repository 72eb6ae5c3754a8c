package ownerapi

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func (c *call) listTokens() (*wire.List[access.Token], error) {
	all, err := access.Tokens(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "tokens", all, func(t *access.Token) string { return t.ID })
}

// newToken asks for a token.
type newToken struct {
	Name       string       `json:"name"`
	Scope      access.Scope `json:"scope"`
	ExpiresSec int64        `json:"expires_seconds,omitempty"` // 30 days where it is left out
}

const mostTokenSeconds = 365 * 24 * 60 * 60

func (c *call) createToken(in *newToken) (*access.MadeToken, error) {
	if in.ExpiresSec < 0 || in.ExpiresSec > mostTokenSeconds {
		return nil, wire.Invalid("expires_seconds", "is not between one minute and 365 days")
	}
	return access.CreateToken(c.Context(), c.owner, access.NewToken{Name: in.Name, Scope: in.Scope, Expires: time.Duration(in.ExpiresSec) * time.Second})
}

// ended names what has ended.
type ended struct {
	ID string `json:"id"`
}

func (c *call) revokeToken() (*ended, error) {
	id := c.r.PathValue("token")
	return &ended{id}, access.RevokeToken(c.Context(), c.owner, id)
}

func (c *call) listSessions() (*wire.List[access.Session], error) {
	all, err := access.Sessions(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "sessions", all, func(s *access.Session) string { return s.ID })
}

func (c *call) endSession() (*ended, error) {
	id := c.r.PathValue("session")
	return &ended{id}, access.EndSession(c.Context(), c.owner, id)
}

func (c *call) listPasskeys() (*wire.List[access.Passkey], error) {
	all, err := access.Passkeys(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "passkeys", all, func(p *access.Passkey) string { return p.ID })
}

func (c *call) removePasskey() (*ended, error) {
	id := c.r.PathValue("passkey")
	return &ended{id}, access.RemovePasskey(c.Context(), c.owner, id)
}
