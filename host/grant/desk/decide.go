package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/storage"
)

// asked is a request as it was kept.
func (d *Desk) asked(r *storage.GrantRequest) (*grant.Request, error) {
	q := &grant.Request{ClientID: r.ClientID, ClientName: cmp.Or(r.ClientName, r.Display), Registration: grant.Dynamic}
	if r.ClientID == PreRegistered {
		q.Registration = grant.PreRegistered
	}
	if len(r.Details) == 0 {
		return q, nil
	}
	var err error
	q.Details, err = grant.ParseDetails(r.Details)
	return q, err
}

// Asked returns what a client asks for; nil: its owner chooses.
func (d *Desk) Asked(r *storage.GrantRequest) (*grant.Details, error) {
	q, err := d.asked(r)
	if err != nil {
		return nil, err
	}
	return q.Details, nil
}

// Review keeps what an approval of a request would give by its owner's choices, and returns
// it: nothing else can be approved (RD-42).
func (d *Desk) Review(ctx context.Context, r *storage.GrantRequest, c *grant.Choices) (*grant.Review, error) {
	q, err := d.asked(r)
	if err != nil {
		return nil, err
	}
	have, err := d.Have(ctx)
	if err != nil {
		return nil, err
	}
	review, _, err := grant.Resolve(q, c, have, d.Now())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(review)
	if err != nil {
		return nil, err
	}
	return review, d.Store.KeepReview(ctx, r.ID, r.Polling, review.Revision(), text)
}

// The times that a token lasts, where its grant holds as long (RD-48).
const (
	onceLife  = 24 * time.Hour
	tokenLife = 30 * 24 * time.Hour
)

// lifeOf is how long a token of a grant lasts that nothing renews.
func lifeOf(doc *grant.Document) time.Duration {
	if doc.AccessMode == grant.SingleUse {
		return onceLife
	}
	return tokenLife
}

// decidedAgain is how long the same approval is answered with the grant that it led to.
const decidedAgain = time.Minute

// Approved is a grant that an owner gave.
type Approved struct {
	GrantID string
	Token   string // where no client waits for it; "": the client that waits gets its own
	Back    string // where the owner's browser brings the client its code; "": nowhere
}

// Approve makes a grant of the review that has a revision, in one transaction with its token
// and what ctx has recorded (RD-43). shows says that whoever asks can be shown a token, which
// no client waits for. An approval that came before within a minute is answered with its
// grant, without a token.
func (d *Desk) Approve(ctx context.Context, id, revision string, shows bool) (*Approved, error) {
	r, err := d.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.Revision != revision || revision == "" {
		return nil, stale()
	}
	a, err := d.approval(ctx, r)
	if err != nil {
		return nil, err
	}
	secret, err := d.secret()
	if err != nil {
		return nil, err
	}
	out := &Approved{GrantID: a.Grant.ID}
	token := tokenPrefix + secret
	if r.Flow == storage.FlowCode {
		a.Code, a.CodeExpires = hashOf(secret), d.Now().Add(codeLife)
		out.Back = back(r, "code", secret)
	} else if shows {
		a.Token.SHA256 = hashOf(token)
	}
	awaited, err := d.Store.ApproveGrant(ctx, *a)
	if err != nil {
		return nil, err
	}
	if !awaited {
		out.Token = token
	}
	return out, nil
}

// back is where an owner's browser brings a client its answer: with the state as it came, and
// with who answers (RFC 9207). "": the client is brought nothing.
func back(r *storage.GrantRequest, name, value string) string {
	if r.Flow != storage.FlowCode {
		return ""
	}
	answer := url.Values{name: {value}, "iss": {r.Issuer}}
	if r.ClientState != "" {
		answer.Set("state", r.ClientState)
	}
	mark := "?"
	if strings.Contains(r.Redirect, "?") {
		mark = "&"
	}
	return r.Redirect + mark + answer.Encode()
}

// Again returns the grant of the same approval, where it was given within the last minute:
// whoever sends a form twice changes nothing (RD-43.3). nil: there was none.
func (d *Desk) Again(ctx context.Context, id, revision string) (*Approved, error) {
	r, err := d.Request(ctx, id)
	if err != nil || r.State != storage.RequestApproved || r.Revision != revision || d.Now().Sub(r.Decided) >= decidedAgain {
		return nil, err
	}
	out := &Approved{GrantID: r.GrantID}
	if r.Flow != storage.FlowCode {
		return out, nil
	}
	secret, err := d.secret() // nobody has the former one but the browser, which may have lost it
	if err != nil {
		return nil, err
	}
	renewed, err := d.Store.RenewCode(ctx, r.ID, hashOf(secret))
	if renewed {
		out.Back = back(r, "code", secret)
	}
	return out, err
}

// Refuse closes a request, and returns where the owner's browser brings the client its
// answer; "": nowhere.
func (d *Desk) Refuse(ctx context.Context, id string) (string, error) {
	r, err := d.Request(ctx, id)
	if err != nil {
		return "", err
	}
	return back(r, "error", "access_denied"), d.Store.DenyGrant(ctx, id)
}

func stale() error {
	return abi.NewError(CodeApproval, "what was shown is not what would be granted now", "look at the request again, then decide")
}

// approval makes of a request's last review all that an approval keeps.
func (d *Desk) approval(ctx context.Context, r *storage.GrantRequest) (*storage.Approval, error) {
	review := new(grant.Review)
	if err := json.Unmarshal(r.Review, review); err != nil || review.Revision() != r.Revision {
		return nil, stale()
	}
	have, err := d.Have(ctx)
	if err != nil {
		return nil, err
	}
	a := &storage.Approval{Revision: r.Revision, Modules: map[string]string{}}
	for i := range have {
		if have[i].Digest != review.Declaration.Digest {
			continue
		}
		a.Manifest = have[i].Manifest
		for _, c := range have[i].Connections {
			a.Modules[c.ID] = c.Module
		}
	}
	used := map[string]string{}
	for i := range review.Streams {
		for _, id := range review.Streams[i].InstanceIDs {
			module, same := a.Modules[id]
			if !same {
				return nil, stale()
			}
			used[id] = module
		}
	}
	a.Modules = used
	id, err := d.id("grt_")
	if err != nil {
		return nil, err
	}
	now := d.Now().UTC()
	if review.ExpiresAt != nil && !now.Before(*review.ExpiresAt) {
		return nil, stale()
	}
	doc, text, err := review.Grant(id, now)
	if err != nil {
		return nil, err
	}
	a.Grant = storage.Grant{
		ID: id, RequestID: r.ID, ClientID: r.ClientID, Document: text, SHA256: grant.Hash(text), Review: r.Review, Declaration: review.Declaration.Digest, Issued: now, Resource: r.Resource,
	}
	a.Token.Expires = now.Add(lifeOf(doc))
	if end := doc.ExpiresAt; end != nil {
		a.Grant.Expires = *end
		if end.Before(a.Token.Expires) {
			a.Token.Expires = *end
		}
	}
	a.Token.ID, err = d.id("gtk_")
	return a, err
}

// Offers returns what an owner can give for a request.
func (d *Desk) Offers(ctx context.Context, r *storage.GrantRequest) ([]grant.Offer, error) {
	q, err := d.asked(r)
	if err != nil {
		return nil, err
	}
	have, err := d.Have(ctx)
	return grant.Offers(q, have), err
}
