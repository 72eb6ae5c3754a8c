package owner

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// KeepRefusal keeps with a connection that a run of it was refused, in the refusal's
// own words. It keeps nothing of a connection that a device feeds: that is not for this
// host to judge.
func KeepRefusal(ctx context.Context, store *storage.Store, conn *storage.Connection, refusal error) error {
	fed, err := FedByDevice(ctx, store, conn.ID)
	if err != nil || fed {
		return err
	}
	state, err := store.ScheduleState(ctx, conn.ID, 2)
	if err != nil {
		return err
	}
	d := storage.Dispatch{ConnectionID: conn.ID, Trigger: string(schedule.Manual), Reason: string(abi.CodeOf(refusal))}
	if len(state.Runs) > 0 {
		d.AfterRun = state.Runs[0].Number
	}
	for _, r := range state.Runs {
		if r.Status != storage.StatusRunning {
			d.Identity = r.RunID // as a scheduler tells two refusals apart
			break
		}
	}
	if e, ok := errors.AsType[*abi.Error](refusal); ok {
		d.Says = e.Message
	}
	return store.RecordRefusal(ctx, d)
}
