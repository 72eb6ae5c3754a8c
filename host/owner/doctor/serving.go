package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// machine names first what keeps every run of this machine from beginning, and a clock that
// went back: what is found below follows from it.
func (e *exam) machine(ctx context.Context) {
	r := view.Runtime{Fault: view.FaultDiskFull}
	if !e.DiskFull() {
		if !e.HasStore() {
			return
		}
		var err error
		if r, err = e.Runtime(ctx); err != nil || r.OK {
			return // the store's own check says what is wrong with it
		}
	}
	switch {
	case r.RefusesRuns():
		e.broken("machine", r.Indicator(), r.Fault, r.Advice())
	case r.Fault == view.FaultClockBack:
		e.add("machine", Notice, r.Indicator(), r.Advice())
	}
}

// serving names a scheduler that is gone without having been stopped, one that
// does nothing, and what is overdue where none serves. With repair none is expected any
// more.
func (e *exam) serving(ctx context.Context, _ *storage.Store) error {
	const check = "serve"
	r, err := e.Runtime(ctx)
	if err != nil {
		return err
	}
	switch {
	case r.OK:
		return e.overdue(ctx)
	case r.Fault == view.FaultSchedulerUnheard:
		e.add(check, Notice, r.Indicator(), r.Advice()) // it may live: another would be one too many
		return nil
	case r.Fault != view.FaultSchedulerStopped && r.Fault != view.FaultSchedulerAbsent:
		return nil // it is told first, and a server that lives can do nothing about it
	case !e.repair:
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
