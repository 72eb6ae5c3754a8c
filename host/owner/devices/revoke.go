package devices

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Revoke takes nothing from a device any more. The records that it delivered stay; the rest
// does not come in. confirm is called once, before a device that may deliver is revoked; its
// error is the operation's, and nothing is changed.
func Revoke(ctx context.Context, o *owner.Owner, typed string, confirm func(*Device) error) (*Device, error) {
	store, d, err := findDevice(ctx, o, typed)
	if err == nil && d.RevokedAt == nil {
		err = confirm(d)
	}
	if err != nil {
		return nil, err
	}
	return d, o.Audited(ctx, store, "devices.revoke", d.ID, func(ctx context.Context) error {
		at, err := store.RevokeDevice(ctx, d.ID)
		d.RevokedAt = &at
		return err
	})
}
