package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// checkServing names a scheduler that is gone without having been stopped, one that
// does nothing, and what is overdue where none serves. With repair none is expected any
// more.
func (a *app) checkServing(ctx context.Context, f *findings, repair bool) error {
	const check = "serve"
	r, err := a.owner.Runtime(ctx)
	if err != nil {
		return err
	}
	if r.OK {
		return a.checkOverdue(ctx, f)
	}
	if !repair {
		f.add(check, notice, r.Indicator(), "start it again with: pdpp-host serve   or, when none is meant to run: pdpp-host doctor --repair")
		return nil
	}
	f.add(check, notice, "the scheduler had stopped; none is expected any more", "start it again with: pdpp-host serve")
	return a.owner.ForgetServer(ctx)
}

// checkOverdue says what has not run when it was due because nothing serves, long
// before that is taken for a fault.
func (a *app) checkOverdue(ctx context.Context, f *findings) error {
	served, err := a.owner.Served(ctx)
	if err != nil || served {
		return err
	}
	var first owner.Overdue
	var n int64
	err = a.owner.EachOverdue(ctx, func(o owner.Overdue) bool {
		if n++; n == 1 {
			first = o
		}
		return true
	})
	if err != nil || n == 0 {
		return err
	}
	text := "nothing serves, and " + first.Name + " is overdue since " + output.Timestamp(first.Since)
	if n > 1 {
		text += ", and others"
	}
	f.add("serve", notice, text, "run what is due with: pdpp-host serve   or by cron: pdpp-host serve --once")
	return nil
}
