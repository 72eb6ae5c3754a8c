package oauth

import (
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
)

// introspected is what a token stands for (RFC 7662, RD-49). Of one that is no good there is
// active alone: why it is none is told to who shows it, and to nobody else.
type introspected struct {
	Active   bool            `json:"active"`
	Kind     string          `json:"pdpp_token_kind,omitempty"` // owner, client
	Subject  string          `json:"subject_id,omitempty"`
	ClientID string          `json:"client_id,omitempty"`
	GrantID  string          `json:"grant_id,omitempty"`
	Expires  int64           `json:"exp,omitempty"`
	Details  []grant.Granted `json:"authorization_details,omitempty"`
	Grant    *grant.Document `json:"grant,omitempty"`
	Issuer   string          `json:"iss,omitempty"`
	Audience string          `json:"aud,omitempty"`
}

// basic returns the parts of HTTP Basic. A client encodes each as a form does (RFC 6749 2.3.1); one that does not is
// understood as well, since no id and no secret of this host holds a character that differs.
func (c *call) basic() (id, secret string) {
	id, secret, _ = c.r.BasicAuth()
	for _, part := range []*string{&id, &secret} {
		if plain, err := url.QueryUnescape(*part); err == nil {
			*part = plain
		}
	}
	return id, secret
}

// introspect tells a resource server of the owner's what a token stands for. The server proves
// itself by a token that was made for that, with its id, by HTTP Basic.
func (c *call) introspect() (any, error) {
	id, secret := c.basic()
	from := c.Guard.From(c.r)
	if err := c.shares.guesses.Check(from, "secrets", id+":"+secret, c.Now()); err != nil {
		return nil, err
	}
	known, err := c.Introspects(c.r.Context(), id, secret)
	if err != nil {
		return nil, err
	}
	if !known {
		c.shares.guesses.Wrong(from, id+":"+secret, c.Now())
		c.w.Header().Set("WWW-Authenticate", `Basic realm="introspection", charset="UTF-8"`)
		return nil, &wire.Failure{Status: http.StatusUnauthorized, Code: wire.CodeUnauthenticated, Message: "a server proves itself by a token of the scope introspect, with its id"}
	}
	c.shares.guesses.Right(id + ":" + secret)
	q, err := c.form()
	if err != nil {
		return nil, err
	}
	token := q.Text("token")
	if token == "" {
		q.Refuse("token", "is missing")
	}
	if err := q.Known(); err != nil {
		return nil, err
	}
	s, err := c.Desk.Stands(c.r.Context(), token)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return &introspected{}, nil
	}
	out := &introspected{Active: true, Kind: "owner", Subject: grant.Subject, ClientID: s.ClientID, Expires: s.Expires.Unix(), Issuer: c.origin(), Audience: c.origin()}
	if s.Grant != nil {
		out.Kind, out.GrantID, out.Details, out.Grant = "client", s.Grant.GrantID, s.Grant.Granted(), s.Grant
	}
	return out, nil
}
