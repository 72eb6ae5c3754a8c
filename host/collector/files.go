package collector

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/host/leftover"
)

// Files makes a change of which files of the lane's folders are not for it, and returns those
// that the last run did not read (AC-03). The host hears of a change from the next run.
func (c *Collector) Files(ctx context.Context, change leftover.Change) (f *leftover.Files, err error) {
	_, exists, err := c.inspect(ctx)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, c.NotAccepted()
	}
	store, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	conn, err := accepted(ctx, store)
	if err != nil {
		return nil, err
	}
	if conn == nil {
		return nil, c.NotAccepted()
	}
	if len(change.Ignore)+len(change.Heed) > 0 {
		if err := leftover.Decide(ctx, store, conn, change); err != nil {
			return nil, err
		}
	}
	return leftover.Show(ctx, store, conn)
}
