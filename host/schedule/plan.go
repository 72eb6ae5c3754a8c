package schedule

import (
	"fmt"
	"time"
)

// plan is the next step for one connection.
type plan struct {
	start      bool
	trigger    Trigger
	attendance Attendance
	skip       Reason    // why a due connection is not started; "" if it is not due
	identity   string    // identity of the skip's record
	escalated  bool      // a cooldown that its owner should look at
	at         time.Time // the latest time to examine it again; zero: when something changes
}

// plan decides. due is the time of the connection's next automatic run.
func (f *facts) plan(due, now time.Time) plan {
	p := plan{trigger: Scheduled}
	if f.confirm {
		p.trigger, due = Confirming, f.confirmFrom()
	}
	switch {
	case f.onDevice: // handled below, in every case
	case f.busy:
		return p.skipped(ReasonRunning, time.Time{}, "")
	case p.trigger == Scheduled && !f.setting.Enrolled(f.policy):
		return p.skipped(ReasonManual, time.Time{}, "")
	}
	// The owner's choice, and the owner's open actions, apply whether it is due or
	// not.
	d := Eligible(f.policy, p.trigger, Facts{
		OnDevice: f.onDevice, Paused: f.setting.Paused, Ready: f.obstacle == nil || f.obstacle.allowsRun(), AttentionOpen: f.obstacle != nil,
	})
	if !d.Start {
		what := ""
		if f.obstacle != nil {
			what = fmt.Sprintf("%s %d", f.obstacle.Code, f.obstacle.Since.UnixMicro())
		}
		return p.skipped(d.Why, time.Time{}, what)
	}
	if due.After(now) {
		return f.notYet(p, due, now)
	}
	p.attendance = d.Attendance
	return f.applyDelays(p, now)
}

// notYet returns the plan for a run that is not due. A cooldown is reported as soon as
// it exists, with its own end, which every surface shows. A connection that is due
// later than that by more than jitter is simply not due.
func (f *facts) notYet(p plan, due, now time.Time) plan {
	every, _ := Interval(f.setting, f.policy)
	cooled, why := Cooldown(f.pressure, now)
	if cooled.IsZero() || due.After(cooled.Add(every/jitterShare)) || f.backoff(now).Until.After(cooled) {
		p.at = due
		return p
	}
	p.escalated = why.Escalated
	return p.skipped(ReasonCoolingDown, cooled, why.Identity())
}

// confirmFrom returns when an owed confirming run may start: at once, but after a
// successful run not before the minimum, otherwise pausing and resuming a schedule
// repeatedly would bypass it.
func (f *facts) confirmFrom() time.Time {
	last := f.lastRun()
	if last == nil || last.Status != StatusSucceeded {
		return time.Time{}
	}
	_, minimum := Interval(f.setting, f.policy)
	return last.FinishedAt.Add(minimum)
}

// applyDelays applies back-off and cooldown to a run that may start.
func (f *facts) applyDelays(p plan, now time.Time) plan {
	b := f.backoff(now)
	if b.Blocked && p.trigger == Scheduled {
		return p.skipped(ReasonGivenUp, time.Time{}, b.Class)
	}
	cooled, why := Cooldown(f.pressure, now)
	switch until := Due(DueInput{Backoff: b.Until, Cooled: cooled}, now); {
	case !until.After(now):
		p.start = true
		return p
	case cooled.After(b.Until):
		p.escalated = why.Escalated
		return p.skipped(ReasonCoolingDown, until, why.Identity())
	default:
		return p.skipped(ReasonBackingOff, until, fmt.Sprintf("%s/%d", b.Class, b.Failures))
	}
}

func (f *facts) backoff(now time.Time) Backoff {
	every, _ := Interval(f.setting, f.policy)
	return FailureBackoff(f.history, every, now)
}

func (p plan) skipped(why Reason, until time.Time, identity string) plan {
	p.start, p.skip, p.at, p.identity = false, why, until, identity
	return p
}
