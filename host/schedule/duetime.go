package schedule

import (
	"context"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// due returns the time of the connection's next automatic run. It is computed once for
// each basis, with its jitter, and stored, so a restart does not change it. Back-off
// and cooldown are not part of it, because they may end early.
func (s *Scheduler) due(ctx context.Context, f *facts, now time.Time) (time.Time, error) {
	due := f.dueNext(now, s.deps.Random())
	if due == f.due {
		return due.At, nil
	}
	f.due = due
	return due.At, s.deps.Store.PutDue(ctx, f.connection.ID, due)
}

// dueNext returns the stored due time if it belongs to the current facts, or a new
// one.
func (f *facts) dueNext(now time.Time, dice float64) storage.Due {
	every, minimum := Interval(f.setting, f.policy)
	// A time further ahead than this function sets means that the clock was set back.
	furthest := now.Add(every + every/jitterShare + minimum)
	if f.due.Basis == f.basis() && !f.due.At.After(furthest) {
		return f.due
	}
	in := DueInput{Every: every, Minimum: minimum, Jitter: dice}
	if last := f.lastRun(); last != nil && !f.cutShort {
		in.Started, in.Ended = last.StartedAt, last.FinishedAt
	}
	return storage.Due{Basis: f.basis(), At: Due(in, now)}
}

// basis identifies the facts behind a due time.
func (f *facts) basis() string {
	every, _ := Interval(f.setting, f.policy)
	return fmt.Sprintf("%s %s", f.newest, every)
}

func (f *facts) lastRun() *Ended {
	if len(f.history) == 0 {
		return nil
	}
	return &f.history[0]
}

// dueAgain makes a connection whose run the scheduler interrupted due at once, for the
// next scheduler.
func (s *Scheduler) dueAgain(ctx context.Context, f *facts, now time.Time) error {
	return s.deps.Store.PutDue(ctx, f.connection.ID, storage.Due{Basis: f.basis(), At: now})
}
