package store

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Compacted is what a compaction removed, and the store's size before and after it.
type Compacted struct {
	BytesAfter  int64 `json:"bytes_after"`
	BytesBefore int64 `json:"bytes_before"`
	Runs        int64 `json:"runs_removed"`
}

// Compact removes old runs and gives the store's free space back to the disk. It is
// refused while a run goes on.
func Compact(ctx context.Context, o *owner.Owner) (*Compacted, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	var c storage.Compacted
	// Its first write only looks whether a run goes on: the event comes at the end.
	err = o.Audited(ctx, store, "store.compact", "store", func(context.Context) (err error) {
		c, err = store.Compact(ctx, holder.Alive)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Compacted{c.BytesAfter, c.BytesBefore, c.Runs}, nil
}
