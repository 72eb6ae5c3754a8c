package data

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Erased names a record that its owner has deleted, or lets come again.
type Erased struct {
	Connection string `json:"connection"` // its name
	Stream     string `json:"stream"`
	Key        string `json:"key"`
}

// Erase deletes a record for good: no run brings it back. Without such a record it is
// record.unknown.
func Erase(ctx context.Context, o *owner.Owner, connection, stream, key string) (*Erased, error) {
	e, err := ofRecord(ctx, o, "records.delete", connection, stream, key, (*storage.Store).EraseRecord)
	if err != nil {
		return nil, err
	}
	// Readers see it no more as it is: they wait for the index. From then on no search finds it.
	if r, err := o.Reader(ctx); err == nil {
		_, _ = r.Index.All(ctx, read.Wait) // what is left to do the next reader does
	}
	return e, nil
}

// Restore lets runs bring a record again that its owner has deleted. Where the owner has deleted no
// such record it is record.unknown.
func Restore(ctx context.Context, o *owner.Owner, connection, stream, key string) (*Erased, error) {
	return ofRecord(ctx, o, "records.restore", connection, stream, key, (*storage.Store).RestoreRecord)
}

// ofRecord changes what becomes of a record. Its event names no key, which may be what was to go.
func ofRecord(ctx context.Context, o *owner.Owner, operation, connection, stream, key string, change func(*storage.Store, context.Context, string, string, string) error) (*Erased, error) {
	from, err := o.OpenStream(ctx, connection, stream)
	if err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, operation, from.Connection+" "+from.Name, func(ctx context.Context) error {
		return change(store, ctx, from.ConnectionID(), from.Name, key)
	})
	if err != nil {
		return nil, err
	}
	return &Erased{from.Connection, from.Name, key}, nil
}
