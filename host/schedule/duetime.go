package schedule

import (
	"context"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// due returns when the connection is to run by itself next. It is worked out
// once for each basis, with its jitter, and kept: a restart changes nothing.
// Back-off and cooldown are not part of it; they may end early.
func (s *Scheduler) due(ctx context.Context, f *facts, now time.Time) (time.Time, error) {
	due := f.dueNext(now, s.deps.Random())
	if due == f.due {
		return due.At, nil
	}
	f.due = due
	return due.At, s.deps.Store.PutDue(ctx, f.connection.ID, due)
}

// dueNext is the due time that is kept, as long as it is of the facts at hand,
// or another one.
func (f *facts) dueNext(now time.Time, dice float64) storage.Due {
	every, minimum := Interval(f.setting, f.policy)
	// A time further ahead than any this makes is of a clock that was put back.
	furthest := now.Add(every + every/jitterShare + minimum)
	if f.due.Basis == f.basis() && !f.due.At.After(furthest) {
		return f.due
	}
	in := DueInput{Every: every, Minimum: minimum, Jitter: dice}
	if last := f.last(); last != nil && !f.cutShort {
		in.Started, in.Ended = last.StartedAt, last.FinishedAt
	}
	return storage.Due{Basis: f.basis(), At: Due(in, now)}
}

// basis is what a due time is worked out from.
func (f *facts) basis() string {
	every, _ := Interval(f.setting, f.policy)
	return fmt.Sprintf("%s %s", f.newest, every)
}

func (f *facts) last() *Ended {
	if len(f.history) == 0 {
		return nil
	}
	return &f.history[0]
}

// dueAgain makes a connection whose run the scheduler itself cut short due at
// once, for whoever schedules it next.
func (s *Scheduler) dueAgain(ctx context.Context, f *facts, now time.Time) error {
	return s.deps.Store.PutDue(ctx, f.connection.ID, storage.Due{Basis: f.basis(), At: now})
}
