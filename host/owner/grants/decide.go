package grants

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Approval decides for a review.
type Approval struct {
	RequestID string
	Revision  string // of the review that the owner saw
	Shows     bool   // the face can show a token, where no app waits for it
}

// Approved is a grant that was given.
type Approved struct {
	GrantID string `json:"grant_id"`
	Token   string `json:"token,omitempty"` // shown once; "": the app that waits gets its own
	// Back is where the owner's browser brings the app its code, within a minute; "": the app
	// needs no browser.
	Back string `json:"redirect_to,omitempty"`
}

// Approve gives an app what its last review says. Errors: grants.approval_conflict where
// that was another one, or a connection has changed since, grants.decided,
// grants.request_expired, grants.nobody_waits.
func Approve(ctx context.Context, o *owner.Owner, a Approval) (*Approved, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	made, err := d.Again(ctx, a.RequestID, a.Revision)
	if err != nil || made != nil {
		return approved(made), err
	}
	err = o.Audited(ctx, d.Store, "grants.approve", a.RequestID, func(ctx context.Context) error {
		made, err = d.Approve(ctx, a.RequestID, a.Revision, a.Shows)
		return err
	})
	if abi.CodeOf(err) == CodeDecided { // by the same approval, at the same moment
		if again, aerr := d.Again(ctx, a.RequestID, a.Revision); again != nil || aerr != nil {
			return approved(again), aerr
		}
	}
	if err != nil {
		return nil, err
	}
	return approved(made), nil
}

func approved(made *desk.Approved) *Approved {
	if made == nil {
		return nil
	}
	return &Approved{made.GrantID, made.Token, made.Back}
}

// Refuse closes a request without a grant. It returns where the owner's browser brings the
// app that answer; "": the app needs no browser.
func Refuse(ctx context.Context, o *owner.Owner, id string) (back string, err error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return "", err
	}
	if _, err := d.Request(ctx, id); err != nil {
		return "", err
	}
	err = o.Audited(ctx, d.Store, "grants.deny", id, func(ctx context.Context) error {
		back, err = d.Refuse(ctx, id)
		return err
	})
	return back, err
}

// RefuseAll closes, without grants, the requests that wait and were created up to an instant: those of one app, by the
// id of its client, or of all where client is "". A face passes the time of the newest request that its owner saw, so
// that none is refused unseen. It returns how many were closed; where none waits it changes nothing, and leaves no audit
// event.
func RefuseAll(ctx context.Context, o *owner.Owner, client string, until time.Time) (refused int, err error) {
	waiting, err := Requests(ctx, o)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(waiting, func(r Request) bool { return (client == "" || r.ClientID == client) && !r.CreatedAt.After(until) }) {
		return 0, nil
	}
	d, err := deskOf(ctx, o)
	if err != nil {
		return 0, err
	}
	err = o.Audited(ctx, d.Store, "grants.deny_all", cmp.Or(client, "all"), func(ctx context.Context) error {
		refused, err = d.Store.DenyGrants(ctx, client, until)
		return err
	})
	return refused, err
}
