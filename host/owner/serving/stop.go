package serving

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The codes of this room.
const (
	CodeRunEnded     abi.Code = "run.ended"      // there is nothing left to stop
	CodeRunElsewhere abi.Code = "run.elsewhere"  // another process makes the run
	CodeTooManyRuns  abi.Code = "run.too_many"   // that were begun by hand
	CodeWindingUp    abi.Code = "run.winding_up" // the server begins nothing any more
)

const opStop = "runs.stop"

// Stop asks a run of this process to wind up, whoever began it. It ends as one that its
// owner stopped: what was collected is kept, and the next run goes on from there.
func (s *Server) Stop(ctx context.Context, a owner.Actor, runID string) error {
	as := s.Asks(a)
	store, err := as.Store(ctx)
	if err != nil {
		return err
	}
	if f := s.lives.find(runID); f != nil {
		return as.Audited(ctx, store, opStop, f.began.Connection, func(context.Context) error {
			f.stop(run.ErrInterrupted)
			return nil
		})
	}
	r, err := store.Run(ctx, runID)
	if err != nil {
		return err
	}
	refusal := abi.NewError(CodeRunEnded, "the run has ended already", "there is nothing left to stop")
	if r.Status == storage.StatusRunning {
		refusal = abi.NewError(CodeRunElsewhere, "another process makes this run", "stop it where it was begun")
	}
	conn, err := store.Connection(ctx, r.ConnectionID)
	if err != nil {
		return refusal //nolint:nilerr // it says more than a connection that is gone
	}
	return as.Refused(ctx, store, opStop, conn.Name, refusal)
}
