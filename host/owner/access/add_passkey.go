package access

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// opAddPasskey is the operation of AddPasskey.
const opAddPasskey = "owner.add_passkey" //nolint:gosec // the name of an operation

// AddPasskey keeps the passkey that a device made for the caller's session. Errors:
// owner.passkey_refused, owner.passkey_known and owner.passkeys_full.
func AddPasskey(ctx context.Context, o *owner.Owner, d Device, name string) error {
	m, err := d.take(ctx, o, toAdd+o.Actor.ID)
	if err != nil {
		return err
	}
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	kept, err := m.kept(o, name)
	if err != nil {
		return err
	}
	return o.Audited(ctx, s, opAddPasskey, kept.ID, func(ctx context.Context) error { return s.AddPasskey(ctx, kept) })
}

// ClaimByPasskey is Claim for an owner who chooses a passkey, and no password.
func ClaimByPasskey(ctx context.Context, o *owner.Owner, code string, d Device, name, agent string) (*Opened, error) {
	if err := LinkOpen(ctx, o, code); err != nil {
		return nil, err
	}
	m, err := d.take(ctx, o, toClaim+hashOf(code))
	if err != nil {
		return nil, err
	}
	kept, err := m.kept(o, name)
	if err != nil {
		return nil, err
	}
	return useLink(ctx, o, "owner.set_passkey", code, "", kept, agent)
}
