package schedule

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// looksBack is the number of a connection's runs and dispatches that a decision reads.
// It exceeds every sequence that makes a difference.
const looksBack = 24

// facts holds everything that the decision about one connection depends on.
type facts struct {
	connection storage.Connection
	schedule   storage.Schedule
	setting    Setting
	policy     *abi.RefreshPolicy
	history    []Ended // newest first
	newest     string  // identity of its newest entry
	pressure   CooldownInput
	obstacle   *Obstacle         // nil: none, or it is resolved
	rejection  *Obstacle         // an older one about the credentials; nil: none
	standing   *storage.Dispatch // the record that holds the connection; nil: none
	latest     *storage.Dispatch // the newest record if no run began since; nil: none
	afterRun   int64             // number of the newest run; 0: none
	putRight   bool              // the owner has resolved the cause of an older record
	due        storage.Due
	adopted    bool // its schedule is stored
	confirm    bool // a confirming run is owed
	busy       bool // another process runs it
	onDevice   bool // a device runs it
	cutShort   bool // its last run was killed together with its host
}

// gather reads a connection's facts as of now. If they cannot be determined it returns
// the stored ones together with the error.
func (s *Scheduler) gather(ctx context.Context, c storage.Connection, now time.Time) (*facts, error) {
	state, err := s.deps.Store.ScheduleState(ctx, c.ID, looksBack)
	if err != nil {
		return nil, err
	}
	f := &facts{connection: c, due: state.Due, schedule: state.Schedule, setting: SettingOf(state.Schedule), adopted: state.Adopted, newest: "new"}
	f.readLease(state, s.deps.HolderAlive, now)
	f.history = history(state, f.busy)
	if len(state.Runs) > 0 {
		f.newest, f.afterRun = state.Runs[0].RunID+"/"+state.Runs[0].Status, state.Runs[0].Number
	}
	if len(f.history) > 0 && f.history[0].Status == StatusRefused {
		f.newest += fmt.Sprintf("/refused %d", f.history[0].FinishedAt.UnixMicro())
	}
	f.standing, f.latest = state.Held, latest(state)
	f.confirm = stillOwed(state.ConfirmOwed, f.history, now)
	if s.deps.OnDevice != nil {
		if f.onDevice, err = s.deps.OnDevice(ctx, c); err != nil {
			return f, err
		}
	}
	if !f.onDevice { // a device's module may exist only on the device
		if f.policy, err = s.deps.Policy(ctx, c); err != nil && !f.stoppedByOwner() {
			return f, &unresolved{err}
		}
	}
	var p Pressure
	if s.deps.Pressure != nil {
		if p, err = s.deps.Pressure(ctx, c); err != nil {
			return f, err
		}
	}
	var last time.Time
	if len(f.history) > 0 {
		last = f.history[0].FinishedAt
	}
	f.pressure = p.Cooldown(f.setting, f.policy, last)
	if f.obstacle = FindObstacle(f.history); f.onDevice {
		return f, nil
	}
	if err := s.findRejection(ctx, f); err != nil {
		return f, err
	}
	if at := state.SignedInByHand; stillOwed(at, f.history, now) && f.removeSignIn(at) { // where nothing waited, nothing is to be confirmed
		f.confirm = true
	}
	if f.obstacle == nil {
		f.obstacle = signedOut(state.SignedOut)
	}
	return f, nil
}

// stoppedByOwner reports whether the owner has said that it does not run automatically; no
// other fact is then needed.
func (f *facts) stoppedByOwner() bool { return f.setting.Paused || f.setting.Mode == ByHand }

// latest returns the newest record of a skip or a refusal, unless a run began since.
func latest(state storage.ScheduleState) *storage.Dispatch {
	if len(state.Dispatches) == 0 || len(state.Runs) > 0 && state.Runs[0].Number != state.Dispatches[0].AfterRun {
		return nil
	}
	return &state.Dispatches[0]
}

// heal checks whether the owner has resolved the connection's obstacles, and returns
// what is newly resolved. A resolved obstacle is removed.
func (s *Scheduler) heal(ctx context.Context, f *facts, probe Probe) (healed Healed, err error) {
	watched, err := s.watched(ctx, f, probe)
	if err != nil {
		return "", &unresolved{err}
	}
	for i := range watched {
		n, err := Heal(ctx, s.deps.Store, f.connection.ID, watched[i:i+1])
		if err != nil {
			return healed, err
		}
		if n > 0 {
			// The end of a pause is reported only if no obstacle was resolved, which
			// is the more specific event.
			f.confirm, healed = true, watched[i].healed
		}
	}
	f.removeResolved(watched)
	return healed, nil
}

// unresolved marks an error that concerns one connection, not the store.
type unresolved struct{ err error }

func (u *unresolved) Error() string { return u.err.Error() }
func (u *unresolved) Unwrap() error { return u.err }

// SettingOf returns the owner's stored choice.
func SettingOf(sched storage.Schedule) Setting {
	return Setting{Mode: Mode(sched.Mode), Every: int64(sched.Every / time.Second), Paused: sched.Paused}
}

// readLease distinguishes a running run from one whose host has gone.
func (f *facts) readLease(state storage.ScheduleState, alive func(string) bool, now time.Time) {
	lives := state.Lease.Holds(now, alive)
	f.busy = lives
	if len(state.Runs) > 0 && !lives {
		status := state.Runs[0].Status
		f.cutShort = status == storage.StatusRunning || status == StatusAbandoned
	}
}

// history returns the runs that ended and the attempts that were refused, newest first
// by the store's numbers, since a clock may be set back. A run without an end whose
// host has gone counts as abandoned; the next run records that. One that is its owner's to
// repeat counts as failed.
func history(state storage.ScheduleState, live bool) []Ended {
	var all []Ended
	for i, r := range state.Runs {
		e := Ended{
			RunID: r.RunID, number: r.Number, Status: r.Status, Class: FailureClass(r.Reason, r.Code), Code: r.Code, Retryable: r.Retryable,
			RecoveryHint: r.RecoveryHint, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
		}
		if r.Status == storage.StatusRunning {
			if i > 0 || live {
				continue
			}
			e.Status, e.Class, e.FinishedAt = StatusAbandoned, FailureClass(string(abi.ReasonHostRestarted), ""), r.StartedAt
		}
		if e.Status == StatusAbandoned && slices.Contains(ownerHints, e.RecoveryHint) {
			// Its host was killed behind a secret that it had sent (BR-13.5). When that was noted says
			// nothing: what its owner did since the run counts.
			e.Status, e.FinishedAt = StatusFailed, e.StartedAt
		}
		all = append(all, e)
	}
	at := 0
	for _, d := range state.Dispatches {
		if d.Status != StatusRefused {
			continue
		}
		for at < len(all) && (all[at].Status == StatusRefused || all[at].number > d.AfterRun) {
			at++
		}
		all = slices.Insert(all, at, Ended{
			Status: StatusRefused, Class: "failure:" + d.Reason, Code: d.Reason, StartedAt: d.LastAt, FinishedAt: d.LastAt, Count: int(d.Count),
			mark: markOf(d.Identity),
		})
	}
	return all
}

// stillOwed reports whether a confirming run that became owed at since is still owed: no
// run that began after it has completed. If since, or a run's beginning, is in the
// future, the clock was set back. Such a claim is ignored, since no run could satisfy
// it; such a run satisfies nothing, since it would satisfy every claim until then.
func stillOwed(since time.Time, history []Ended, now time.Time) bool {
	if since.IsZero() || since.After(now) {
		return false
	}
	return !slices.ContainsFunc(history, func(e Ended) bool {
		return !e.cutShort() && !e.StartedAt.Before(since) && !e.StartedAt.After(now)
	})
}

// probe returns the probe of a pass; nil: nothing is known.
func (s *Scheduler) probe() Probe {
	if s.deps.Probes == nil {
		return nil
	}
	return s.deps.Probes()
}

// watched returns the actions that the connection waits for, with a probe's evidence.
func (s *Scheduler) watched(ctx context.Context, f *facts, probe Probe) ([]Watched, error) {
	var all []Watched
	if sched := f.schedule; !sched.ResumedAt.IsZero() && !sched.Paused {
		all = append(all, Watched{
			Action: verdict.RequiredAction{
				Kind: verdict.ReattachSchedule, Audience: verdict.AudienceOwner, Urgency: verdict.Soon,
				SatisfiedWhen: verdict.SatisfiedWhen{Kind: verdict.ScheduleAttachedAndEnabled},
			},
			Since: sched.PausedAt, Version: strconv.FormatInt(sched.ResumedAt.UnixMicro(), 10),
			Evidence: verdict.SatisfactionEvidence{Schedule: &health.Schedule{Enabled: f.setting.Enrolled(f.policy)}},
			healed:   HealedPause,
		})
	}
	if o := findElsewhere(f.history); o != nil && f.runsAutomatically() {
		all = append(all, o.asWatched(s.circumstances(ctx, f.connection)))
	}
	for _, o := range []*Obstacle{f.rejection, f.obstacle} {
		if o == nil || probe == nil {
			continue
		}
		e, version, err := probe(ctx, f.connection, *o)
		if err != nil {
			return all, err
		}
		all = append(all, Watched{Action: o.Action(), Since: o.Since, Evidence: e, Version: version, of: o, healed: Healed(o.Kind)})
	}
	return all, nil
}
