package access

import (
	"context"
	"net/netip"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Opened is a new session. Nothing but this has its secret.
type Opened struct {
	ID     string `json:"id"`
	Secret string `json:"-"`
}

// SignIn asks for a session.
type SignIn struct {
	Password string
	From     netip.Prefix // who asks, as attempts are counted
	Agent    string       // the browser's name for itself
}

// longestAgent is how much of a browser's name is kept, in characters.
const longestAgent = 200

func newSession(o *owner.Owner, agent string) (*Opened, storage.Session, error) {
	secret, err := newSecret(o.Random)
	if err != nil {
		return nil, storage.Session{}, err
	}
	id, err := newID(o.Random, "ses_")
	if err != nil {
		return nil, storage.Session{}, err
	}
	agent = words.Cut(words.Clean(agent), longestAgent)
	return &Opened{ID: id, Secret: secret}, storage.Session{ID: id, SHA256: hashOf(secret), Address: o.Actor.Address, Agent: agent}, nil
}

// SignInWith opens a session for the owner's password. Errors: owner.password_wrong, and
// owner.too_many_attempts when wrong ones have come too often.
func SignInWith(ctx context.Context, o *owner.Owner, tries *Attempts, in SignIn) (*Opened, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	if err := tries.take(in.From, o.Now()); err != nil {
		return nil, err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return nil, err
	}
	right, err := isPassword(ctx, in.Password, is.Password)
	if err != nil {
		return nil, err
	}
	if !right {
		return nil, o.Refused(ctx, s, "owner.sign_in", "owner", wrongPassword())
	}
	tries.forgive(in.From)
	opened, session, err := newSession(o, in.Agent)
	if err != nil {
		return nil, err
	}
	now := o.Now()
	err = o.Audited(ctx, s, "owner.sign_in", session.ID, func(ctx context.Context) error {
		return s.OpenSession(ctx, session, now.Add(-sessionLife), now.Add(-sessionIdle))
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func wrongPassword() error {
	return abi.NewError(CodePasswordWrong, "the password is not the owner's", "try again; `pdpp-host owner reset` makes a link to choose a new one")
}

// ChangePassword replaces the password, and ends every session but the caller's.
func ChangePassword(ctx context.Context, o *owner.Owner, tries *Attempts, from netip.Prefix, was, next string) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	if err := tries.take(from, o.Now()); err != nil {
		return err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return err
	}
	right, err := isPassword(ctx, was, is.Password)
	if err != nil {
		return err
	}
	if !right {
		return o.Refused(ctx, s, "owner.change_password", "owner", wrongPassword())
	}
	tries.forgive(from)
	kept, err := sealed(ctx, next)
	if err != nil {
		return err
	}
	return o.Audited(ctx, s, "owner.change_password", "owner", func(ctx context.Context) error {
		changed, err := s.ChangePassword(ctx, is.Password, kept, o.Actor.ID)
		if err == nil && !changed {
			err = wrongPassword() // another change was first
		}
		return err
	})
}
