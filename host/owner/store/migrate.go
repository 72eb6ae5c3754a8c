package store

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Migrate brings the store up to date, and makes one where there is none, as each operation does that
// changes something.
func Migrate(ctx context.Context, o *owner.Owner) error {
	_, err := o.Store(ctx)
	return err
}
