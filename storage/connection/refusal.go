package connection

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/stored"
)

// RecordRefusal is RecordDispatch for a run that its owner made by hand, and that was
// refused until the owner has changed something.
func (s *Store) RecordRefusal(ctx context.Context, d Dispatch) error {
	d.Status, d.Holds = statusRefused, stored.HeldForOwner
	_, err := s.RecordDispatch(ctx, d)
	return err
}
