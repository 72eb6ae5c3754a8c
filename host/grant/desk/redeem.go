package desk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Witness returns a context with which the next change of the store leaves its audit event.
type Witness func(ctx context.Context, operation, subject string) context.Context

// Issued are the tokens that a client is given.
type Issued struct {
	Token   string
	Expires time.Time
	Refresh string          // "": none
	Grant   *grant.Document // nil: the token speaks for the owner
}

// The lives of codes and refresh tokens (RD-45.2, RD-48).
const (
	codeLife    = time.Minute
	accessLife  = 10 * time.Minute // beside a refresh token
	refreshIdle = 90 * 24 * time.Hour
)

// CodeShown is what a client shows for its tokens, once its owner's browser brought it a code.
type CodeShown struct {
	Code, ClientID, Verifier string
	Redirect                 string // ""; or where the code was brought
	Resource                 string // as in Ask
}

// RedeemCode gives a client its tokens for a code: once, within a minute, and only to who
// asked for it. It returns grants.resource_refused where it was asked for another resource. A code that is shown again, or that is shown by another, ends the grant,
// since somebody has it who should not (RD-45.2).
func (d *Desk) RedeemCode(ctx context.Context, w Witness, s CodeShown) (*Issued, error) {
	r, err := d.Store.GrantRequestOf(ctx, storage.RequestByCode, hashOf(s.Code))
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, refusedCode()
	}
	switch {
	case r.ClientID != s.ClientID || s.Redirect != "" && r.Redirect != s.Redirect || r.Challenge != challengeOf(s.Verifier):
		return nil, d.end(ctx, w, "grants.code_refused", r.GrantID, refusedCode())
	case !r.Taken.IsZero():
		return nil, d.end(ctx, w, "grants.code_replayed", r.GrantID, refusedCode())
	case !d.Now().Before(r.CodeExpires):
		return nil, refusedCode()
	case !isFor(r.Resource, s.Resource):
		return nil, refusedResource()
	}
	issued, err := d.give(ctx, w, r)
	if abi.CodeOf(err) == CodeReplayed {
		err = d.end(ctx, w, "grants.code_replayed", r.GrantID, refusedCode())
	}
	return issued, err
}

// isFor reports whether a client may have a token for a resource, by what it asked its owner for. Where one
// of the two says nothing, it may (RFC 8707, section 2.2).
func isFor(asked, shown string) bool { return asked == "" || shown == "" || asked == shown }

func refusedResource() error {
	return abi.NewError(CodeResource, "the owner was asked for another resource of this host", "name the resource that was asked for")
}

func refusedCode() error {
	return abi.NewError(CodeRedeemRefused, "the code is unknown, used or too old, or was not given to this client", "ask the owner again")
}

// challengeOf is the challenge of a verifier (RFC 7636, S256).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// end revokes a grant that somebody has tried to use who should not, and returns why.
func (d *Desk) end(ctx context.Context, w Witness, operation, grantID string, why error) error {
	g, err := d.Store.GrantOf(ctx, grantID)
	if err == nil && g.Revoked.IsZero() {
		_, err = d.Store.RevokeGrant(w(ctx, operation, grantID), grantID)
	}
	if err != nil {
		return err
	}
	return why
}

// give keeps the tokens of an approved request, and returns them.
func (d *Desk) give(ctx context.Context, w Witness, r *storage.GrantRequest) (*Issued, error) {
	g, err := d.Store.GrantOf(ctx, r.GrantID)
	if err != nil {
		return nil, err
	}
	c, err := d.client(ctx, r.ClientID)
	if err != nil {
		return nil, err
	}
	out, token, refresh, err := d.tokensFor(g, c.Refreshes)
	if err != nil {
		return nil, err
	}
	err = d.Store.Redeem(w(ctx, "grants.redeem", g.ID), storage.Redemption{RequestID: r.ID, Shown: shownOf(r), Token: token, Refresh: refresh})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// shownOf returns the hash of what a client may show again for its tokens: a device's code. An authorization code
// is good once (RFC 6749, section 4.1.2).
func shownOf(r *storage.GrantRequest) string {
	if r.Flow == storage.FlowCode {
		return ""
	}
	return r.Polling
}

// Another makes one more token of a grant that holds, and keeps it. One that is read once has its
// token already, and gets no other (RD-35.1).
func (d *Desk) Another(ctx context.Context, id string) (*Issued, error) {
	g, err := d.Store.GrantOf(ctx, id)
	if err != nil {
		return nil, err
	}
	doc, err := d.Holds(g)
	if err != nil {
		return nil, err
	}
	if doc.AccessMode == grant.SingleUse {
		return nil, abi.NewError(CodeRedeemRefused, "the grant is read once, and has had its token", "have the app ask again")
	}
	out, token, _, err := d.tokensFor(g, false)
	if err != nil {
		return nil, err
	}
	return out, d.Store.AddGrantToken(ctx, *token)
}

// tokensFor makes the tokens of a grant that holds now, with a refresh token where its client
// takes one and the grant is to be read by more than once (RD-47.1).
func (d *Desk) tokensFor(g *storage.Grant, refreshes bool) (out *Issued, token *storage.GrantToken, refresh *storage.RefreshToken, err error) {
	doc, err := d.Holds(g)
	if code := abi.CodeOf(err); code == CodeRevoked || code == CodeExpired {
		err = abi.NewError(CodeRedeemRefused, "the grant has ended", "ask the owner again")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	now := d.Now().UTC()
	until := func(life time.Duration) time.Time {
		if end := now.Add(life); doc.ExpiresAt == nil || end.Before(*doc.ExpiresAt) {
			return end
		}
		return *doc.ExpiresAt
	}
	out = &Issued{Grant: doc, Expires: until(lifeOf(doc))}
	if refreshes && doc.AccessMode == grant.Continuous {
		out.Expires = until(accessLife)
		secret, err := d.secret()
		if err != nil {
			return nil, nil, nil, err
		}
		out.Refresh = refreshPrefix + secret
		refresh = &storage.RefreshToken{SHA256: hashOf(out.Refresh), GrantID: g.ID, Expires: until(refreshIdle)}
	}
	secret, err := d.secret()
	if err != nil {
		return nil, nil, nil, err
	}
	out.Token = tokenPrefix + secret
	id, err := d.id("gtk_")
	return out, &storage.GrantToken{ID: id, SHA256: hashOf(out.Token), GrantID: g.ID, Expires: out.Expires}, refresh, err
}

// Refresh gives a client the next tokens of its grant, and supersedes the refresh token that
// it shows. Within storage.RepeatWithin it may show it again while nobody has used what it was given, which may have
// been lost, and ends then. Any other that was superseded before ends the grant with all its tokens: two hold it,
// and one of them should not (RD-47.2). It returns grants.replayed then.
func (d *Desk) Refresh(ctx context.Context, w Witness, clientID, secret, resource string) (*Issued, error) {
	hash := hashOf(secret)
	shown, g, err := d.Store.RefreshTokenOf(ctx, hash)
	if err != nil {
		return nil, err
	}
	if shown == nil || g.ClientID != clientID {
		return nil, refusedRefresh()
	}
	again, asked := !shown.Superseded.IsZero(), isFor(g.Resource, resource)
	if again && (!asked || d.Now().Sub(shown.Superseded) > storage.RepeatWithin) {
		return nil, d.end(ctx, w, "grants.refresh_replayed", g.ID, replayed())
	}
	if !asked {
		return nil, refusedResource()
	}
	out, token, next, err := d.tokensFor(g, true)
	switch {
	case again && abi.CodeOf(err) == CodeRedeemRefused:
		return nil, d.end(ctx, w, "grants.refresh_replayed", g.ID, replayed())
	case err != nil:
		return nil, err
	}
	switch err = d.Store.Refresh(w(ctx, "grants.refresh", g.ID), hash, *token, *next); {
	case abi.CodeOf(err) == CodeReplayed:
		return nil, d.end(ctx, w, "grants.refresh_replayed", g.ID, replayed())
	case err != nil:
		return nil, err
	}
	return out, nil
}

func refusedRefresh() error {
	return abi.NewError(CodeRedeemRefused, "the refresh token is unknown or too old, or was not given to this client", "ask the owner again")
}

func replayed() error {
	return abi.NewError(CodeReplayed, "the refresh token was used before, so that its grant has ended", "ask the owner again")
}
