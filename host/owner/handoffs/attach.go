package handoffs

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Attached is the right to look on, once, and to act meanwhile.
type Attached struct {
	Token string `json:"token"` // for the header Authorization, as in "Handoff TOKEN"
}

// Attach opens a page for the owner's browser that asks.
func Attach(ctx context.Context, o *owner.Owner, id string) (*Attached, error) {
	if err := seated(o); err != nil {
		return nil, err
	}
	h, err := Show(ctx, o, id)
	if err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	out := new(Attached)
	err = o.Audited(ctx, store, "handoffs.attach", h.Connection+" "+h.ID, func(context.Context) (err error) {
		out.Token, err = o.Handoffs.Attach(id, o.Actor.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// seated refuses who is no browser of the owner's: a page is for somebody who sits before it.
func seated(o *owner.Owner) error {
	if o.Actor.Face == owner.BrowserSession && o.Actor.ID != "" {
		return nil
	}
	return SessionNeeded()
}

// SessionNeeded refuses who has another proof than a browser's session.
func SessionNeeded() error {
	return abi.NewError(CodeSessionNeeded, "a page is opened in a browser that is signed in, and not by a program", "open the question's page in the console")
}
