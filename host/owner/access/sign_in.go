package access

import (
	"context"
	"crypto/subtle"
	"net/netip"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/passkey"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Opened is a new session. Nothing but this has its secret.
type Opened struct {
	ID     string `json:"id"`
	Secret string `json:"-"`
	// Mark says of the browser later that it signed in here: see NewMark. "": there is no password.
	Mark string `json:"-"`
}

// SignIn asks for a session.
type SignIn struct {
	Password string
	From     netip.Prefix // who asks, as attempts are counted
	Agent    string       // the browser's name for itself
	Mark     string       // of a browser that signed in before; "": it has none
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
	n := storage.Session{ID: id, SHA256: hashOf(secret), Address: o.Actor.Address, Agent: words.Cut(words.Clean(agent), longestAgent)}
	if o.Actor.Face == owner.BrowserSession {
		n.Former = o.Actor.ID // its browser forgets the secret of that, which whoever copied it has
	}
	return &Opened{ID: id, Secret: secret}, n, nil
}

// SignInWith opens a session for the owner's password. Errors: owner.password_wrong, and
// owner.too_many_attempts when wrong ones have come too often.
func SignInWith(ctx context.Context, o *owner.Owner, tries *Attempts, in SignIn) (*Opened, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return nil, err
	}
	mark, err := known(ctx, o, s, is.Password, in.Mark)
	if err != nil {
		return nil, err
	}
	right, err := tries.password(ctx, o, in.From, mark, in.Password, is.Password)
	if err != nil {
		return nil, err
	}
	if !right {
		return nil, o.Refused(ctx, s, "owner.sign_in", "owner", wrongPassword())
	}
	return open(ctx, o, "", in, s, is.Password, func(ctx context.Context, n storage.Session, opened, used time.Time) error {
		ok, err := s.OpenSession(ctx, is.Password, n, opened, used)
		if err == nil && !ok {
			err = wrongPassword() // it has ended meanwhile
		}
		return err
	})
}

// password reports whether a password is the one that was sealed, once it is its turn.
func (a *Attempts) password(ctx context.Context, o *owner.Owner, from netip.Prefix, mark, password, kept string) (right bool, err error) {
	leave, err := a.enter(ctx, from, mark, o.Now)
	if err != nil {
		return false, err
	}
	defer func() { leave(right) }()
	return isPassword(ctx, password, kept)
}

// open opens a session by a passkey, or by the password where that is "". With keeps it. The event's
// subject is the session, the passkey and the session whose place it takes.
func open(ctx context.Context, o *owner.Owner, by string, in SignIn, s *storage.Store, password string, with func(_ context.Context, n storage.Session, opened, used time.Time) error) (*Opened, error) {
	opened, session, err := newSession(o, in.Agent)
	if err != nil {
		return nil, err
	}
	if opened.Mark, err = markOf(ctx, o, s, password, in.Mark); err != nil {
		return nil, err
	}
	now := o.Now()
	err = o.Audited(ctx, s, "owner.sign_in", strings.Join(strings.Fields(session.ID+" "+by+" "+session.Former), " "), func(ctx context.Context) error {
		return with(ctx, session, now.Add(-sessionLife), now.Add(-sessionIdle))
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// SignInByPasskey opens a session for a device's answer to AskToSignIn. Errors:
// owner.passkey_refused, owner.passkey_copied where its counter did not go up, and
// owner.too_many_attempts in the place of owner.passkey_refused where wrong ones have come too often. A right
// answer is let in whatever came before.
func SignInByPasskey(ctx context.Context, o *owner.Owner, tries *Attempts, d Device, in SignIn) (*Opened, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return nil, err
	}
	key, uses, err := d.proves(ctx, o, s, toSignIn, func() error { return tries.wrongKey(in.From, o.Now()) })
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, o.Refused(ctx, s, "owner.sign_in", "owner", wrongPasskey())
	}
	return open(ctx, o, key.ID, in, s, is.Password, func(ctx context.Context, n storage.Session, opened, used time.Time) error {
		return s.OpenSessionBy(ctx, key.ID, uses, n, opened, used)
	})
}

// proves returns the passkey that a device's answer proves, with its counter; nil: it proves
// none. That takes the same time whatever is wrong with an answer that can be read (OC-04.3).
//
// Each answer that proves none is counted once by wrong, whose error it returns: one of a passkey that is not known
// before anything is remembered of it, since strangers may send any number.
func (d *Device) proves(ctx context.Context, o *owner.Owner, s *storage.Store, purpose string, wrong func() error) (*storage.Passkey, uint32, error) {
	name, err := handle(ctx, o)
	if err != nil {
		return nil, 0, err
	}
	asserted, err := passkey.Read(d.Answer)
	if err != nil {
		return nil, 0, wrong()
	}
	found, err := s.PasskeyOf(ctx, asserted.Credential)
	if err != nil {
		return nil, 0, err
	}
	var key *passkey.Key
	if found != nil && subtle.ConstantTimeCompare(asserted.Handle, name) == 1 {
		key = &passkey.Key{PublicKey: found.PublicKey, Flags: found.Flags}
	} else if err := wrong(); err != nil {
		return nil, 0, err
	}
	uses, err := asserted.Holds(d.Party, d.Ceremonies.Take(o.Now(), d.Ticket, purpose, d.Party), key)
	switch {
	case err == nil:
		return found, uses, nil
	case key != nil:
		return nil, 0, wrong()
	}
	return nil, 0, nil // it proves nothing
}

func wrongPasskey() error {
	return abi.NewError(CodePasskeyRefused, "the passkey is not one of the owner's, or its answer came too late", "try again")
}

func wrongPassword() error {
	return abi.NewError(CodePasswordWrong, "the password is not the owner's", "try again; `pdpp-host owner reset` makes a link to choose a new one")
}

// ChangePassword replaces the password, and ends every session but the caller's. An owner who
// signs in by passkeys alone has none to replace, and sets the first one.
func ChangePassword(ctx context.Context, o *owner.Owner, tries *Attempts, from netip.Prefix, was, next string) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return err
	}
	if is.Password != "" || !is.Passkeys {
		right, err := tries.password(ctx, o, from, "", was, is.Password)
		if err != nil {
			return err
		}
		if !right {
			return o.Refused(ctx, s, "owner.change_password", "owner", wrongPassword())
		}
	} else if err := o.NeedProof(ctx, owner.OpFirstPassword); err != nil { // a session alone would set a way to sign in
		return o.Refused(ctx, s, "owner.change_password", "owner", err)
	}
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
