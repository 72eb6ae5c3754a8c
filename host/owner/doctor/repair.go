package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// RepairEvidence makes what a connection's health rests on again from its runs.
func RepairEvidence(ctx context.Context, o *owner.Owner, connection string) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	return o.Audited(ctx, store, "evidence.repair", connection, func(ctx context.Context) error { return store.RepairEvidence(ctx, connection) })
}

// ForgetServer expects no scheduler any more that is gone without having been stopped,
// and takes nothing for overdue that it would have run.
func ForgetServer(ctx context.Context, o *owner.Owner) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	gone, err := store.Serving(ctx)
	if err != nil {
		return err
	}
	return o.Audited(ctx, store, "serve.forget", "serve", func(ctx context.Context) error {
		if err := store.ForgetOverdue(ctx, o.Now().Add(-owner.OverdueAfter)); err != nil || gone == nil {
			return err
		}
		return store.StopServing(ctx, gone.Holder)
	})
}

// RepairIndex makes what lists and searches are answered from again from the records.
func RepairIndex(ctx context.Context, o *owner.Owner) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	reader, err := o.Reader(ctx)
	if err != nil {
		return err
	}
	err = o.Audited(ctx, store, "index.repair", "index", store.ResetRead)
	if err == nil {
		_, err = reader.Index.All(ctx, 0)
	}
	return err
}
