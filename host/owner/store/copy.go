package store

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CopiedStore is what a copy of a store holds.
type CopiedStore struct {
	Records int64 `json:"records"` // tombstones included
	Resumed bool  `json:"resumed"` // the copy went on from where an earlier one ended
	Rows    int64 `json:"rows"`    // of all tables
}

// Copy makes the store at to the equal of the one at from, in a file or on PostgreSQL
// either way; from "" is the configured store. Both are paths or addresses, as storage.dsn.
// The event of the change goes into the copy, whose store is the new one. See storage.Copy
// for what is refused.
func Copy(ctx context.Context, o *owner.Owner, from, to string) (*CopiedStore, error) {
	if from == "" {
		from = o.Config.StorageDSN()
	}
	done, err := storage.Copy(ctx, storage.CopyOptions{From: from, To: to, Now: o.Now, Logger: o.Logger, Alive: holder.Alive})
	if err != nil {
		return nil, err
	}
	store, err := storage.Open(ctx, storage.Options{Path: to, Now: o.Now, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "store.copy", "store", func(context.Context) error { return nil })
	return &CopiedStore{Records: done.Records, Resumed: done.Resumed, Rows: done.Rows}, errors.Join(err, store.Close())
}
