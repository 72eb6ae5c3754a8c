package owner

import (
	"context"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// leastInterval is the shortest one that an owner may ask for.
const leastInterval = time.Minute

// Schedule is when a connection runs by itself, and what it waits for.
type Schedule struct {
	Mode     string     `json:"mode"` // automatic, manual
	By       string     `json:"by"`   // owner, recommended, default
	EverySec int64      `json:"every_seconds,omitempty"`
	Paused   bool       `json:"paused"`
	Waits    string     `json:"waits_for,omitempty"`
	Look     bool       `json:"needs_attention,omitempty"` // a cooldown that goes on and on
	Next     *time.Time `json:"next,omitempty"`            // about when it runs next, while something serves
	Due      *time.Time `json:"due_since,omitempty"`       // it would run now, and nothing serves

	Overdue  bool   `json:"-"`        // and would have for a while
	Revision string `json:"revision"` // of the owner's choice: another one after each change
}

// ScheduleChange says what is to change about a schedule. The zero value changes
// nothing.
type ScheduleChange struct {
	Mode          *schedule.Mode // nil: as before
	Every         time.Duration  // of schedule.Automatic
	Pause, Resume bool
	If            string // the revision that the change is made of; "": any
}

func (c ScheduleChange) automatic() bool { return c.Mode != nil && *c.Mode == schedule.Automatic }

// change returns the schedule that a change makes of s.
func (c ScheduleChange) change(s storage.Schedule) (storage.Schedule, error) {
	if c.automatic() && (c.Every < leastInterval || c.Every%time.Second != 0) {
		return s, usage("the interval is shorter than a minute, or has a fraction of a second", "write a duration, as in 30m or 6h")
	}
	if c.Mode != nil {
		s.Mode, s.Every = string(*c.Mode), c.Every
	}
	s.Paused = (s.Paused || c.Pause) && !c.Resume
	return s, nil
}

// ScheduleSet is the schedule of a connection after a change.
type ScheduleSet struct {
	Connection string
	Schedule   *Schedule
	Changed    bool // false: it had that already
}

// SetSchedule changes when a connection runs by itself. A change of nothing reads its
// schedule.
func (o *Owner) SetSchedule(ctx context.Context, name string, c ScheduleChange) (*ScheduleSet, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	fed, err := store.SourceInstances(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	if err := OnDevice(conn.Name, conn.Connector, fed); err != nil {
		return nil, o.Refused(ctx, store, "connections.schedule", conn.Name, err)
	}
	changed, err := o.replaceSchedule(ctx, store, conn, c)
	if err != nil {
		return nil, err
	}
	s, err := o.scheduleOf(ctx, store, conn)
	return &ScheduleSet{conn.Name, s, changed}, err
}

// replaceSchedule makes a change of the schedule that is kept, as often as another change
// comes between.
func (o *Owner) replaceSchedule(ctx context.Context, store *storage.Store, conn *storage.Connection, c ScheduleChange) (changed bool, err error) {
	for {
		now, err := store.Schedule(ctx, conn.ID)
		if err != nil {
			return false, err
		}
		next, err := c.change(now)
		if err == nil && c.If != "" && c.If != scheduleRevision(now) {
			err = edited("the schedule of connection " + conn.Name)
		}
		if err != nil {
			return false, o.Refused(ctx, store, "connections.schedule", conn.Name, err)
		}
		if next == now {
			return false, nil
		}
		err = o.Audited(ctx, store, "connections.schedule", conn.Name, func(ctx context.Context) error {
			if c.automatic() {
				if err := o.mayRunItself(ctx, conn, c.Every); err != nil {
					return err
				}
			}
			if err = store.ReplaceSchedule(ctx, &now, next); abi.CodeOf(err) == CodeEdited {
				return errUnchanged // it is made again, of what there is now
			}
			changed = err == nil
			return err
		})
		if err != nil || changed {
			return changed, err
		}
	}
}

// scheduleRevision is another text for each choice that an owner made.
func scheduleRevision(s storage.Schedule) string {
	return fmt.Sprintf("%s-%d-%t-%x-%x", s.Mode, s.Every/time.Second, s.Paused, s.PausedAt.UnixMicro(), s.ResumedAt.UnixMicro())
}

// mayRunItself refuses an interval that the connector's policy does not allow:
// it would be skipped every time.
func (o *Owner) mayRunItself(ctx context.Context, conn *storage.Connection, every time.Duration) error {
	m, err := o.ManifestOf(ctx, conn)
	if err != nil {
		return err
	}
	p := m.Capabilities.RefreshPolicy
	if p == nil {
		return nil
	}
	if d := schedule.Eligible(p, schedule.Scheduled, schedule.Facts{Ready: true}); !d.Start {
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("connector %s may not run by itself", conn.Connector),
			"run it by hand: pdpp-host run "+conn.Connector+" --connection "+conn.Name).WithDetail(words.Clean(p.Rationale))
	}
	if least := p.MinimumIntervalSeconds; least != nil && every < time.Duration(*least)*time.Second {
		least := time.Duration(*least) * time.Second
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("connector %s may not run by itself more often than %s", conn.Connector, words.Every(least)),
			"choose "+config.FormatDuration(least)+", or longer").WithDetail(words.Clean(p.Rationale))
	}
	return nil
}

// chosenSchedule is a schedule by what its owner chose and what the accepted manifest recommends,
// without what it waits for.
func chosenSchedule(stored storage.Schedule, conn *storage.Connection) *Schedule {
	policy := modules.PinnedPolicy(conn)
	setting := schedule.SettingOf(stored)
	v := &Schedule{Mode: string(schedule.ByHand), By: "owner", Paused: setting.Paused, Revision: scheduleRevision(stored)}
	switch {
	case setting.Mode != schedule.AsRecommended:
	case policy != nil:
		v.By = "recommended"
	default:
		v.By = "default"
	}
	if setting.Enrolled(policy) {
		every, _ := schedule.Interval(setting, policy)
		v.Mode, v.EverySec = string(schedule.Automatic), int64(every/time.Second)
	}
	return v
}

// scheduleOf works out what the scheduler would do about a connection now. The accepted
// manifest alone counts: nothing is loaded for it.
func (o *Owner) scheduleOf(ctx context.Context, store *storage.Store, conn *storage.Connection) (*Schedule, error) {
	stored, err := store.Schedule(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	v := chosenSchedule(stored, conn)
	if conn.Unreadable != nil {
		v.Waits = string(schedule.ReasonUnresolvable)
		return v, nil //nolint:nilerr // it is why nobody can tell
	}
	looked, err := o.Looker(store, conn).Look(ctx, *conn)
	if err != nil {
		return nil, err
	}
	if looked.Reason != schedule.ReasonNotDue && looked.Reason != schedule.ReasonManual {
		v.Waits = string(looked.Reason)
	}
	v.Look = looked.Escalated
	if byItself := v.Mode == string(schedule.Automatic) && !v.Paused; !byItself || looked.At.IsZero() {
		return v, nil
	}
	served, err := o.Served(ctx)
	if err != nil {
		return nil, err
	}
	if !served && !looked.Due.IsZero() {
		v.Due, v.Overdue = &looked.Due, o.Now().Sub(looked.Due) > OverdueAfter
		return v, nil
	}
	v.Next = &looked.At
	return v, nil
}
