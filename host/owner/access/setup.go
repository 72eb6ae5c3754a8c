package access

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// linkLife is how long a set-up link is good (OC-03).
const linkLife = 15 * time.Minute

// Link leads to the page on which the owner chooses a password or a passkey. Nothing but this
// has the code.
type Link struct {
	Code      string    `json:"code"`
	ExpiresAt time.Time `json:"expires_at"`
	// Origin is what the owner's browser reaches the host at: the server's own word, or that of the
	// configuration where none serves. "": it is not known.
	Origin string `json:"origin"`
}

// Claimed reports whether the owner of this host has chosen how to sign in.
func Claimed(ctx context.Context, o *owner.Owner) (bool, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return false, err
	}
	is, err := s.Owner(ctx)
	return is.Claimed(), err
}

// OfferLink makes a set-up link, in the place of an earlier one.
func OfferLink(ctx context.Context, o *owner.Owner) (*Link, error) {
	return offer(ctx, o, "owner.offer_link", false)
}

// Reset makes a set-up link, and ends the password, the passkeys and all sessions. Tokens stay.
func Reset(ctx context.Context, o *owner.Owner) (*Link, error) {
	return offer(ctx, o, "owner.reset", true)
}

func offer(ctx context.Context, o *owner.Owner, operation string, reset bool) (*Link, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	code, err := newSecret(o.Random)
	if err != nil {
		return nil, err
	}
	l := &Link{Code: code, ExpiresAt: o.Now().Add(linkLife).UTC().Truncate(time.Second)}
	if l.Origin, err = o.ReachedAt(ctx); err != nil {
		return nil, err
	}
	if l.Origin == "" && o.Config != nil {
		l.Origin = o.Config.Origin()
	}
	err = o.Audited(ctx, s, operation, "owner", func(ctx context.Context) error {
		return s.OfferLink(ctx, hashOf(code), l.ExpiresAt, reset)
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// LinkOpen returns owner.link_invalid for a code that would be refused now.
func LinkOpen(ctx context.Context, o *owner.Owner, code string) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	open, err := s.LinkOpen(ctx, hashOf(code), o.Now())
	if err == nil && !open {
		return abi.NewError(CodeLinkInvalid, "the set-up link is unknown, used or too old", "`pdpp-host owner reset` makes a new one")
	}
	return err
}

// Claim chooses the owner's password with the code of a set-up link, which is used up, and
// signs in. All other sessions end.
func Claim(ctx context.Context, o *owner.Owner, code, password, agent string) (*Opened, error) {
	if err := LinkOpen(ctx, o, code); err != nil {
		return nil, err
	}
	kept, err := sealed(ctx, password)
	if err != nil {
		return nil, err
	}
	return useLink(ctx, o, "owner.set_password", code, kept, nil, agent)
}

func useLink(ctx context.Context, o *owner.Owner, operation, code, password string, passkey *storage.Passkey, agent string) (*Opened, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	opened, session, err := newSession(o, agent)
	if err != nil {
		return nil, err
	}
	if opened.Mark, err = markOf(ctx, o, s, password, ""); err != nil {
		return nil, err
	}
	err = o.Audited(ctx, s, operation, "owner", func(ctx context.Context) error {
		return s.UseLink(ctx, hashOf(code), password, passkey, session)
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}
