package desk

import (
	"cmp"
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Admitted is a client that shows a token.
type Admitted struct {
	TokenID  string // of this host's, and no secret
	ClientID string
	GrantID  string
	Grant    *grant.Document
	Scope    *read.Scope // all that it may see
	Bytes    int64       // that may be read in an hour; 0: the usual
}

// UsualBytes is how much an app may read by a grant in an hour, unless its owner says otherwise (RD-57).
const UsualBytes = 200 << 20

// Admit returns who holds a token and what they may see, or read.token_unknown,
// read.grant_revoked, read.grant_expired, read.grant_invalid. It asks the store each time, so that a
// revocation holds from the next request on (RD-02.5), with one indexed read by a hash,
// whatever was shown (RD-48.3). No other way leads from a token to a Scope (RD-34.2). Beside the
// refusal of a grant that holds no more it returns whose it was, without a Scope.
func (d *Desk) Admit(ctx context.Context, secret string) (*Admitted, error) {
	token, g, err := d.Store.GrantByToken(ctx, hashOf(secret))
	if err != nil {
		return nil, err
	}
	if token == nil {
		return nil, refusedToken()
	}
	now, who := d.Now(), &Admitted{TokenID: token.ID, ClientID: g.ClientID, GrantID: g.ID}
	if who.Grant, err = d.Holds(g); err != nil {
		return who, err
	}
	if !now.Before(token.Expires) {
		return nil, refusedToken()
	}
	// The first use of each token is kept: one that was used is not given again.
	if now.Sub(token.Used) >= storage.UsedEvery || token.Used.Before(token.Created) {
		if err := d.Store.GrantTokenUsed(ctx, token.ID); err != nil {
			return nil, err
		}
	}
	who.Scope, who.Bytes = who.Grant.Scope(), g.HourlyBytes
	return who, nil
}

// Caller is Admit for the readers' routes. It implements read.Callers.
func (d *Desk) Caller(ctx context.Context, token string) (*read.Caller, error) {
	who, err := d.Admit(ctx, token)
	if who == nil {
		return nil, err
	}
	return &read.Caller{Scope: who.Scope, Client: who.ClientID, Grant: who.GrantID, Token: who.TokenID, Bytes: cmp.Or(who.Bytes, UsualBytes)}, err
}

// Granted is Caller for who works on the machine of the store, and names the grant. It, too,
// returns beside a refusal whose the grant was.
func (d *Desk) Granted(ctx context.Context, id string) (*read.Caller, error) {
	g, err := d.Store.GrantOf(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &read.Caller{Client: g.ClientID, Grant: g.ID, Bytes: cmp.Or(g.HourlyBytes, UsualBytes)}
	doc, err := d.Holds(g)
	if err == nil {
		c.Scope = doc.Scope()
	}
	return c, err
}

func refusedToken() error {
	return abi.NewError(CodeTokenRefused, "the token is missing, unknown or too old", "ask the owner again")
}

// Holds returns the document of a grant that holds now, or why it does not.
func (d *Desk) Holds(g *storage.Grant) (*grant.Document, error) {
	switch now := d.Now(); {
	case !g.Revoked.IsZero():
		return nil, abi.NewError(CodeRevoked, "the grant was revoked", "ask the owner again")
	case !g.Expires.IsZero() && !now.Before(g.Expires):
		return nil, abi.NewError(CodeExpired, "the grant has ended", "ask the owner again")
	}
	return grant.ReadDocument(g.Document, g.SHA256)
}

// Knows reports whether a token is one of a grant, which may have ended.
func (d *Desk) Knows(ctx context.Context, secret string) bool {
	token, _, err := d.Store.GrantByToken(ctx, hashOf(secret))
	return err == nil && token != nil
}

// Standing is what a token stands for now.
type Standing struct {
	ClientID string          // "": the owner made it
	Grant    *grant.Document // nil: it speaks for the owner
	Expires  time.Time
}

// Stands returns what a token stands for; nil: nothing, whatever the reason (RD-49). It does not
// count as a use.
func (d *Desk) Stands(ctx context.Context, secret string) (*Standing, error) {
	hash, now := hashOf(secret), d.Now()
	token, g, err := d.Store.GrantByToken(ctx, hash)
	if err != nil {
		return nil, err
	}
	if token != nil {
		doc, err := d.Holds(g)
		if err != nil || !now.Before(token.Expires) {
			return nil, nil //nolint:nilnil,nilerr // it stands for nothing, and why is told to who shows it
		}
		s := &Standing{g.ClientID, doc, token.Expires}
		if end := doc.ExpiresAt; end != nil && end.Before(s.Expires) {
			s.Expires = *end
		}
		return s, nil
	}
	t, err := d.Store.TokenOf(ctx, hash)
	if err != nil || t == nil || !now.Before(t.Expires) || t.Scope == storage.ScopeIntrospect {
		return nil, err
	}
	return &Standing{ClientID: t.Client, Expires: t.Expires}, nil
}

// RevokeOwn ends the grant of that id for a client that shows a token of it: again, too. Of
// another's grant it says grants.unknown, as of one that is not there.
func (d *Desk) RevokeOwn(ctx context.Context, secret, id string) error {
	token, g, err := d.Store.GrantByToken(ctx, hashOf(secret))
	switch {
	case err != nil:
		return err
	case token == nil:
		return refusedToken()
	case g.ID != id:
		return abi.NewError(CodeUnknown, "there is no such grant", "")
	case !g.Revoked.IsZero():
		return nil
	}
	_, err = d.Store.RevokeGrant(ctx, id)
	return err
}

// RevokeShown ends the grant of a token or a refresh token that a client shows, and a token
// that speaks for the owner. client is who shows it; "": it does not say. It tells nobody
// whether there was one (RFC 7009).
func (d *Desk) RevokeShown(ctx context.Context, w Witness, client, secret string) error {
	hash := hashOf(secret)
	_, g, err := d.Store.GrantByToken(ctx, hash)
	if err == nil && g == nil {
		_, g, err = d.Store.RefreshTokenOf(ctx, hash)
	}
	if err != nil {
		return err
	}
	if g != nil {
		if client != "" && client != g.ClientID {
			return nil
		}
		return d.end(ctx, w, "grants.revoke", g.ID, nil)
	}
	t, err := d.Store.TokenOf(ctx, hash)
	if err != nil || t == nil {
		return err
	}
	_, err = d.Store.RevokeToken(w(ctx, "tokens.revoke", t.ID), t.ID)
	return err
}
