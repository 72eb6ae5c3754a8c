package owner

import (
	"context"
)

// RevokeDevice takes nothing from a device any more. What it delivered stays; what it
// still holds does not come in. confirm is called once, before a device that may
// deliver is revoked; its error is the operation's, and nothing is changed.
func (o *Owner) RevokeDevice(ctx context.Context, typed string, confirm func(*Device) error) (*Device, error) {
	store, d, err := o.findDevice(ctx, typed)
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
