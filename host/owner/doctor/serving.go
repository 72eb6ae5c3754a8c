package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// serving names a scheduler that is gone without having been stopped, one that
// does nothing, and what is overdue where none serves. With repair none is expected any
// more.
func (e *exam) serving(ctx context.Context, _ *storage.Store) error {
	const check = "serve"
	r, err := e.Runtime(ctx)
	if err != nil {
		return err
	}
	if r.OK {
		return e.overdue(ctx)
	}
	if !e.repair {
		e.add(check, Notice, r.Indicator(), "start it again with: pdpp-host serve   or, when none is meant to run: pdpp-host doctor --repair")
		return nil
	}
	e.add(check, Notice, "the scheduler had stopped; none is expected any more", "start it again with: pdpp-host serve")
	return ForgetServer(ctx, e.Owner)
}

// overdue says what has not run when it was due because nothing serves, long
// before that is taken for a fault.
func (e *exam) overdue(ctx context.Context) error {
	served, err := e.Served(ctx)
	if err != nil || served {
		return err
	}
	var first owner.Overdue
	var n int64
	err = e.EachOverdue(ctx, func(o owner.Overdue) bool {
		if n++; n == 1 {
			first = o
		}
		return true
	})
	if err != nil || n == 0 {
		return err
	}
	text := "nothing serves, and " + first.Name + " is overdue since " + words.Timestamp(first.Since)
	if n > 1 {
		text += ", and others"
	}
	e.add("serve", Notice, text, "run what is due with: pdpp-host serve   or by cron: pdpp-host serve --once")
	return nil
}
