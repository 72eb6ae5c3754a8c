package access

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Passkey is a key pair of a device of the owner's, by its public half.
type Passkey struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Host      string     `json:"host"` // the name of this host that it was made for
	CreatedAt time.Time  `json:"created_at"`
	UsedAt    *time.Time `json:"used_at"` // null: never
}

// Passkeys returns the owner's passkeys, the newest first.
func Passkeys(ctx context.Context, o *owner.Owner) ([]Passkey, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Passkeys(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Passkey, len(all))
	for i := range all {
		p := &all[i]
		out[i] = Passkey{ID: p.ID, Name: p.Name, Host: p.Party, CreatedAt: p.Created}
		if !p.Used.IsZero() {
			out[i].UsedAt = &p.Used
		}
	}
	return out, nil
}

// RemovePasskey forgets a passkey, and ends every session but the caller's: whoever has the
// device may be signed in. It returns owner.passkey_unknown where there is none of that id,
// and owner.passkey_last for the only way in which the owner can sign in.
func RemovePasskey(ctx context.Context, o *owner.Owner, id string) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	all, err := s.Passkeys(ctx)
	if err != nil {
		return err
	}
	remove := func(ctx context.Context) error { return s.RemovePasskey(ctx, id, o.Actor.ID) }
	for i := range all {
		if all[i].ID == id {
			return o.Audited(ctx, s, "owner.remove_passkey", id, remove)
		}
	}
	return remove(ctx) // which says that there is none
}

// Ways are the ways in which the owner can sign in.
type Ways struct{ Password, Passkey bool }

// SignInWays returns them. There are none before the owner has claimed the host.
func SignInWays(ctx context.Context, o *owner.Owner) (Ways, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return Ways{}, err
	}
	is, err := s.Owner(ctx)
	return Ways{is.Password != "", is.Passkeys}, err
}

// kept is what the store keeps of a passkey.
func (m *made) kept(o *owner.Owner, name string) (*storage.Passkey, error) {
	id, err := newID(o.Random, "pk_")
	if err != nil {
		return nil, err
	}
	return &storage.Passkey{
		ID: id, Credential: m.key.Credential, PublicKey: m.key.PublicKey, Party: m.party, Name: passkeyName(name), Flags: m.key.Flags, Uses: m.key.Uses,
	}, nil
}
