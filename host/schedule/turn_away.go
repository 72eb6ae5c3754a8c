package schedule

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// ofMachine are the codes of refusals that say nothing of a connection: a later attempt finds out,
// and none of them counts as a failure of it.
var ofMachine = []abi.Code{abi.CodeStoreFull, abi.CodeStoreUnavailable}

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

// isOfMachine reports whether a refusal says nothing of its connection.
func isOfMachine(refusal error) bool { return slices.Contains(ofMachine, abi.CodeOf(refusal)) }
