package grants

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Credential is a new token of a grant. Nothing but this has it.
type Credential struct {
	GrantID   string
	ClientID  string
	Client    string // as the app calls itself; "": it does not
	Token     string
	ExpiresAt time.Time
	CreatedAt time.Time
}

// NewCredential makes one more token of a grant that holds, for its owner to hand to its app. A
// grant that is read once has its token already: it is grants.redeem_refused.
func NewCredential(ctx context.Context, o *owner.Owner, id string) (*Credential, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	var made *desk.Issued
	err = o.Audited(ctx, d.Store, "grants.credential", id, func(ctx context.Context) (err error) {
		made, err = d.Another(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Credential{id, made.Grant.Client.ID, made.Grant.Client.Display, made.Token, made.Expires, o.Now().UTC().Truncate(time.Second)}, nil
}
