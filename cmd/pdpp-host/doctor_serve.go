package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkServing names a scheduler that is gone without having been stopped, one that
// does nothing, and what is overdue where none serves. With repair none is expected any
// more.
func (a *app) checkServing(ctx context.Context, f *findings, store *storage.Store, repair bool) error {
	const check = "serve"
	r, err := a.runtime(ctx, store)
	if err != nil {
		return err
	}
	if r.OK {
		return a.checkOverdue(ctx, f, store)
	}
	if !repair {
		f.add(check, notice, r.Indicator(), "start it again with: pdpp-host serve   or, when none is meant to run: pdpp-host doctor --repair")
		return nil
	}
	gone, err := store.Serving(ctx)
	if err != nil {
		return err
	}
	f.add(check, notice, "the scheduler had stopped; none is expected any more", "start it again with: pdpp-host serve")
	if err := store.ForgetOverdue(ctx, a.Now().Add(-overdueAfter)); err != nil || gone == nil {
		return err
	}
	return store.StopServing(ctx, gone.Holder)
}

// checkOverdue says what has not run when it was due because nothing serves, long
// before that is taken for a fault.
func (a *app) checkOverdue(ctx context.Context, f *findings, store *storage.Store) error {
	served, err := a.served(ctx, store)
	if err != nil || served {
		return err
	}
	var first overdue
	var n int64
	err = a.eachOverdue(ctx, store, func(o overdue) bool {
		if n++; n == 1 {
			first = o
		}
		return true
	})
	if err != nil || n == 0 {
		return err
	}
	text := "nothing serves, and " + first.name + " is overdue since " + output.Timestamp(first.since)
	if n > 1 {
		text += ", and others"
	}
	f.add("serve", notice, text, "run what is due with: pdpp-host serve   or by cron: pdpp-host serve --once")
	return nil
}
