package grants

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Looked is a request with what can be given for it.
type Looked struct {
	Request

	Asks   *grant.Details `json:"asks"` // null: the owner chooses
	Offers []grant.Offer  `json:"offers"`
}

// Look returns a request by its id, or grants.request_unknown.
func Look(ctx context.Context, o *owner.Owner, id string) (*Looked, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	kept, err := d.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	out := &Looked{Request: shown(d, kept), Offers: []grant.Offer{}}
	if out.Wants == WantsOwnerToken {
		return out, nil
	}
	if out.Asks, err = d.Asked(kept); err != nil {
		return nil, err
	}
	out.Offers, err = d.Offers(ctx, kept)
	return out, err
}

// Find returns the id of the request that an app was given an address for.
func Find(ctx context.Context, o *owner.Owner, uri string) (string, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return "", err
	}
	r, err := d.Find(ctx, uri)
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

// Reviewed is what an approval would give.
type Reviewed struct {
	RequestID string        `json:"request_id"`
	Code      string        `json:"user_code"` // what the app that waits shows; "": nobody waits
	Awaited   bool          `json:"awaited"`   // the app that waits gets its token by itself
	Revision  string        `json:"approval_review_revision"`
	Gets      grant.Words   `json:"would_get"`
	Review    *grant.Review `json:"approval_review"`
}

// Review returns what an approval of a request would give by the owner's choices. That alone
// can be approved, until there is another review. Errors: grants.invalid_details where nothing
// here fits the request, grants.invalid_choice, grants.declaration_conflict.
func Review(ctx context.Context, o *owner.Owner, id string, c grant.Choices) (*Reviewed, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	r, err := d.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	name, err := names(ctx, d)
	if err != nil {
		return nil, err
	}
	var review *grant.Review
	err = o.Audited(ctx, d.Store, "grants.review", id, func(ctx context.Context) error {
		review, err = d.Review(ctx, r, &c)
		if _, lacks := errors.AsType[*grant.Invalid](err); lacks {
			what := "what the app asks for"
			if asked, readable := d.Asked(r); readable == nil && asked != nil {
				what += ": " + words.Clean(asked.AskedFor())
			}
			err = abi.NewError(CodeDetails, "nothing here fits "+what, "`pdpp-host connections list` shows what there is; refuse it, and the app can ask for something else")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Reviewed{id, r.Code, r.Token != "" || r.Flow != "", review.Revision(), review.Words(name), review}, nil
}

// names returns what connections are called; one that is gone has its id.
func names(ctx context.Context, d *desk.Desk) (func(id string) string, error) {
	by, err := owner.NamesByID(ctx, d.Store, nil)
	return func(id string) string {
		if name, there := by[id]; there {
			return name
		}
		return id
	}, err
}
