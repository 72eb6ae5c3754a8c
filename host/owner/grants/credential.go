package grants

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
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

// Added is a token of a grant that holds, which works until it ends: one of NewCredential, or a grant's first.
type Added struct {
	ID        string
	GrantID   string
	Client    string // as the grant is called
	IssuedAt  time.Time
	CreatedAt time.Time
}

// Credentials returns the tokens of grants that were not made by a client's renewing of its own, the newest first.
func Credentials(ctx context.Context, o *owner.Owner) ([]Added, error) {
	all, err := List(ctx, o)
	if err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string]*Grant{}
	for i := range all {
		if g := &all[i]; g.State != Revoked && g.State != Expired {
			of[g.ID] = g
		}
	}
	tokens, err := store.AddedGrantTokens(ctx)
	var out []Added
	for i := range tokens {
		if g := of[tokens[i].GrantID]; g != nil {
			out = append(out, Added{tokens[i].ID, g.ID, g.Name(), g.IssuedAt, tokens[i].Created})
		}
	}
	return out, err
}

// RevokeCredential ends one token of a grant, which holds on. It returns tokens.unknown where there is none of that id.
func RevokeCredential(ctx context.Context, o *owner.Owner, id string) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	return o.Audited(ctx, store, "grants.revoke_credential", id, func(ctx context.Context) error {
		had, err := store.RevokeGrantToken(ctx, id)
		if err == nil && !had {
			err = abi.NewError(access.CodeTokenUnknown, "there is no token of that id", "`pdpp-host owner made` lists them")
		}
		return err
	})
}
