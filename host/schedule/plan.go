package schedule

import (
	"fmt"
	"time"
)

// plan is what is to be done about one connection now.
type plan struct {
	start      bool
	trigger    Trigger
	attendance Attendance
	skip       Reason    // why not, when it would be due; "" when it is not due
	identity   string    // of the skip's record
	escalated  bool      // a cooldown that its owner should look at
	at         time.Time // when to look again at the latest; zero: when something changes
}

// plan decides. due is when the connection is to run by itself.
func (f *facts) plan(due, now time.Time) plan {
	p := plan{trigger: Scheduled}
	if f.confirm {
		p.trigger, due = Confirming, f.confirmFrom()
	}
	switch {
	case f.onDevice: // below, whatever else is so
	case f.busy:
		return p.skipped(ReasonRunning, time.Time{}, "")
	case p.trigger == Scheduled && !f.setting.Enrolled(f.policy):
		return p.skipped(ReasonManual, time.Time{}, "")
	}
	// What its owner decided, or has to do, is so whether it is due or not.
	d := Eligible(f.policy, p.trigger, Facts{
		OnDevice: f.onDevice, Paused: f.setting.Paused, Ready: f.obstacle == nil || f.obstacle.ready(), AttentionOpen: f.obstacle != nil,
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
	return f.putOff(p, now)
}

// notYet is the plan for a run that is not due. A cooldown is told of as soon as
// it is there, with its own end: every surface names that one. Only what is due
// later than that, by more than jitter, is simply not due.
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

// confirmFrom is when an owed confirming run may start: at once, but after a run
// that went well no sooner than the minimum, or a schedule that is paused and
// resumed again and again would be a way around it.
func (f *facts) confirmFrom() time.Time {
	last := f.last()
	if last == nil || last.Status != StatusSucceeded {
		return time.Time{}
	}
	_, minimum := Interval(f.setting, f.policy)
	return last.FinishedAt.Add(minimum)
}

// putOff holds a run that may start against back-off and cooldown.
func (f *facts) putOff(p plan, now time.Time) plan {
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
