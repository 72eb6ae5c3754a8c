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

// looksBack is how many runs and dispatches of a connection a decision looks at.
// It is more than any streak that makes a difference.
const looksBack = 24

// facts is everything that the decision about one connection is made of.
type facts struct {
	connection storage.Connection
	schedule   storage.Schedule
	setting    Setting
	policy     *abi.RefreshPolicy
	history    []Ended // newest first
	newest     string  // what the newest of it is called
	pressure   CooldownInput
	obstacle   *Obstacle         // nil: none, or one that is gone
	rejection  *Obstacle         // an older one behind it, over the credentials; nil: none that stands
	standing   *storage.Dispatch // the record that holds it; nil: none does
	latest     *storage.Dispatch // the newest record, when no run began since; nil: none
	afterRun   int64             // numbers its newest run; 0: there is none
	putRight   bool              // its owner has done what an older record waits for
	due        storage.Due
	adopted    bool // its schedule is kept
	confirm    bool // a confirming run is owed
	busy       bool // another process runs it
	onDevice   bool // a device runs it
	cutShort   bool // its last run was killed with its host
}

// gather reads a connection's facts. now is the instant they are judged at. Where
// they cannot be told it returns those that are stored beside the error.
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
	f.confirm = owed(state.ConfirmOwed, f.history, now)
	if s.deps.OnDevice != nil {
		if f.onDevice, err = s.deps.OnDevice(ctx, c); err != nil {
			return f, err
		}
	}
	if !f.onDevice { // its module may be on the device alone
		if f.policy, err = s.deps.Policy(ctx, c); err != nil && !f.stopped() {
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
	if f.obstacle == nil {
		f.obstacle = signedOut(state.SignedOut)
	}
	return f, nil
}

// stopped reports whether its owner has said that it does not run by itself: then
// nothing has to be known for that.
func (f *facts) stopped() bool { return f.setting.Paused || f.setting.Mode == ByHand }

// latest is the newest record of a skip or a refusal, unless a run began since.
func latest(state storage.ScheduleState) *storage.Dispatch {
	if len(state.Dispatches) == 0 || len(state.Runs) > 0 && state.Runs[0].Number != state.Dispatches[0].AfterRun {
		return nil
	}
	return &state.Dispatches[0]
}

// heal looks whether the owner has done what the connection waits for, and
// returns what of it is new. What has been done is no obstacle any more.
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
			// What was in the way says more than the end of a pause: it comes last.
			f.confirm, healed = true, watched[i].healed
		}
	}
	f.passed(watched)
	return healed, nil
}

// unresolved marks an error that concerns one connection, not the store.
type unresolved struct{ err error }

func (u *unresolved) Error() string { return u.err.Error() }
func (u *unresolved) Unwrap() error { return u.err }

// SettingOf reads the owner's choice as it is stored.
func SettingOf(sched storage.Schedule) Setting {
	return Setting{Mode: Mode(sched.Mode), Every: int64(sched.Every / time.Second), Paused: sched.Paused}
}

// readLease tells a run that goes on from one whose host is gone.
func (f *facts) readLease(state storage.ScheduleState, alive func(string) bool, now time.Time) {
	lives := state.Lease.Holds(now, alive)
	f.busy = lives
	if len(state.Runs) > 0 && !lives {
		status := state.Runs[0].Status
		f.cutShort = status == storage.StatusRunning || status == StatusAbandoned
	}
}

// history is the runs that ended and the attempts that were refused, newest
// first: as the store numbers them, since a clock may be put back. A run without an end whose host is gone counts as abandoned: the next
// run writes that down.
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
			rests: restsOf(d.Identity),
		})
	}
	return all
}

// owed reports whether a confirming run that became owed at since still is: no
// run that did not begin before it has come to an end of its own. One that became
// owed in the future is of a clock that was put back, as is a run that began there:
// no run could ever pay the one, and the other would pay all that is owed till then.
func owed(since time.Time, history []Ended, now time.Time) bool {
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

// watched is what the owner of the connection is waited for, with what a probe
// shows.
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
	if o := findElsewhere(f.history); o != nil && f.byItself() {
		all = append(all, o.watched(s.rests(ctx, f.connection)))
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
