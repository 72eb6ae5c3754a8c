package access

import (
	"context"
	"net/netip"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// opProve is the operation of Prove.
const opProve = "owner.prove"

// Prove proves by the owner's password that the caller's session is theirs: for owner.ProofLife it may make what
// outlasts it. Errors: owner.password_wrong, and owner.too_many_attempts when wrong ones have come too
// often.
func Prove(ctx context.Context, o *owner.Owner, tries *Attempts, from netip.Prefix, password string) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return err
	}
	right, err := tries.password(ctx, o, from, "", password, is.Password)
	if err != nil {
		return err
	}
	if !right {
		return o.Refused(ctx, s, opProve, o.Actor.ID, wrongPassword())
	}
	return o.Audited(ctx, s, opProve, o.Actor.ID, func(ctx context.Context) error {
		ok, err := s.ProveSession(ctx, is.Password, o.Actor.ID)
		if err == nil && !ok {
			err = wrongPassword() // it has ended meanwhile
		}
		return err
	})
}

// ProveByPasskey is Prove for a device's answer to AskToProve. Errors: owner.passkey_refused, owner.passkey_copied
// and owner.too_many_attempts.
func ProveByPasskey(ctx context.Context, o *owner.Owner, tries *Attempts, from netip.Prefix, d Device) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	key, uses, err := d.proves(ctx, o, s, toProve+o.Actor.ID, func() error { return tries.wrongKey(from, o.Now()) })
	if err != nil {
		return err
	}
	if key == nil {
		return o.Refused(ctx, s, opProve, o.Actor.ID, wrongPasskey())
	}
	return o.Audited(ctx, s, opProve, o.Actor.ID+" "+key.ID, func(ctx context.Context) error { return s.ProveSessionBy(ctx, key.ID, uses, o.Actor.ID) })
}
