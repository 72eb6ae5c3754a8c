package schedule

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// turnAway is a pass under a fault of the machine: it starts and writes nothing, and tells of each
// connection that it would have started.
func (s *Scheduler) turnAway(ctx context.Context, why error, now time.Time) error {
	due, err := s.deps.Store.Examinations(ctx, now, nil, s.window.atMost)
	for i := range due {
		c := &due[i].Connection
		if err != nil || s.isRunning(c.ID) {
			continue
		}
		var l Looked
		if l, err = s.Look(ctx, *c); err == nil && l.Err == nil && !l.Due.IsZero() {
			s.tellTurnedAway(ctx, *c, l.Trigger, why)
		}
	}
	return err
}

func (s *Scheduler) tellTurnedAway(ctx context.Context, c storage.Connection, t Trigger, why error) {
	if s.deps.TurnedAway != nil {
		s.deps.TurnedAway(ctx, c, t, why)
	}
}
