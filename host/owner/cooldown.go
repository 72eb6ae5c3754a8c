package owner

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Looker returns a scheduler that only looks. The accepted manifest's policy counts:
// nothing is loaded for it.
func (o *Owner) Looker(store *storage.Store, conn *storage.Connection) *schedule.Scheduler {
	policy := modules.PinnedPolicy(conn)
	probe := credential.Probe{Store: store, Getenv: o.Getenv, Now: o.Now}
	return schedule.New(schedule.Deps{
		Probes: func() schedule.Probe {
			return func(ctx context.Context, c storage.Connection, at schedule.Obstacle) (verdict.SatisfactionEvidence, string, error) {
				if at.Kind != schedule.BadCredentials { // to look at others takes a module or a folder
					return verdict.SatisfactionEvidence{}, "", nil
				}
				return probe.Look(ctx, c, at)
			}
		},
		Store: store, HolderAlive: holder.Alive, Now: o.Now, Random: func() float64 { return 0 },
		Pressure: func(ctx context.Context, c storage.Connection) (schedule.Pressure, error) {
			return PressureOf(ctx, store, c.ID)
		},
		OnDevice: func(ctx context.Context, c storage.Connection) (bool, error) { return FedByDevice(ctx, store, c.ID) },
		Policy:   func(context.Context, storage.Connection) (*abi.RefreshPolicy, error) { return policy, nil },
	})
}

// FedByDevice reports whether a device feeds a connection: the device runs it, also
// where its owner has revoked it since.
func FedByDevice(ctx context.Context, store *storage.Store, connection string) (bool, error) {
	fed, err := store.SourceInstances(ctx, connection)
	return len(fed) > 0, err
}

// CooldownOf returns what a connection's cooldown is made of, as `serve` sees it too:
// its owner's interval first, else that of the accepted manifest.
func CooldownOf(ctx context.Context, store *storage.Store, conn *storage.Connection) (schedule.CooldownInput, error) {
	var none schedule.CooldownInput
	p, err := PressureOf(ctx, store, conn.ID)
	if err != nil {
		return none, err
	}
	state, err := store.ScheduleState(ctx, conn.ID, 1)
	if err != nil {
		return none, err
	}
	var last time.Time
	if len(state.Runs) > 0 {
		last = state.Runs[0].FinishedAt
	}
	return p.Cooldown(schedule.SettingOf(state.Schedule), modules.PinnedPolicy(conn), last), nil
}

// PressureOf reads the source pressure that is stored of a connection.
func PressureOf(ctx context.Context, store *storage.Store, connection string) (out schedule.Pressure, err error) {
	reasons := make([]string, len(abi.SourcePressure))
	for i, r := range abi.SourcePressure {
		reasons[i] = string(r)
	}
	p, err := store.SourcePressure(ctx, connection, reasons)
	if err != nil {
		return out, err
	}
	for _, g := range p.Gaps {
		out.Gaps = append(out.Gaps, schedule.Gap{
			Reason: abi.Reason(g.Reason), Class: abi.Reason(g.Class),
			AttemptCount: g.AttemptCount, LastAttemptAt: g.At, NextAttemptAfter: g.NextAttemptAfter,
		})
	}
	out.Run, out.Pause = recordOf(p.Record), recordOf(p.Pause)
	if len(out.Gaps) > 0 || out.Run != nil || out.Pause != nil {
		c, err := store.Clock(ctx)
		if err != nil {
			return out, err
		}
		out.ClockBack = c.BackAt
	}
	return out, nil
}

// recordOf reads a connection's own record like a gap.
func recordOf(r *storage.Pressure) *schedule.Gap {
	if r == nil {
		return nil
	}
	return &schedule.Gap{Reason: abi.Reason(r.Reason), AttemptCount: r.AttemptCount, LastAttemptAt: r.At, NextAttemptAfter: r.NextAttempt}
}
