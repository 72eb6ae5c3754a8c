package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/storage"
)

// checkServing names a scheduler that is gone without having been stopped. With
// repair none is expected any more.
func (a *app) checkServing(ctx context.Context, f *findings, store *storage.Store, repair bool) error {
	const check = "serve"
	r, err := a.runtime(ctx, store)
	if err != nil || r.OK {
		return err
	}
	if !repair {
		f.add(check, notice, r.Indicator(), "start it again with: pdpp-host serve   or, when none is meant to run: pdpp-host doctor --repair")
		return nil
	}
	gone, err := store.Serving(ctx)
	if err != nil || gone == nil {
		return err
	}
	f.add(check, notice, "the scheduler had stopped; none is expected any more", "start it again with: pdpp-host serve")
	return store.StopServing(ctx, gone.Holder)
}
