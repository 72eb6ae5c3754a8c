package connections

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
)

// start begins a run, and leads to its page. Where one goes on already, it leads to that: the
// scheduler may have begun it a moment ago.
func start(v *site.Visit) error {
	id, err := v.Server.Start(v.Context(), v.Owner.Actor, serving.Order{
		Connection: name(v), Mode: v.R.PostFormValue("mode"),
		Force: v.R.PostFormValue("force") != "", AcceptFolder: v.R.PostFormValue("folder") != "",
	})
	if abi.CodeOf(err) == abi.CodeConnectionBusy {
		runs, lerr := v.Owner.Runs(v.Context(), name(v), 1)
		if lerr == nil && len(runs.Runs) > 0 { // it may have ended meanwhile
			return v.Done(ui.RunPath(runs.Runs[0].RunID), words.RunGoesOn)
		}
	}
	if err != nil {
		return err
	}
	return v.Done(ui.RunPath(id), words.RunStarted)
}

func pause(v *site.Visit) error {
	return change(v, owner.ScheduleChange{Pause: true}, words.SchedulePaused)
}

func resume(v *site.Visit) error {
	return change(v, owner.ScheduleChange{Resume: true}, words.ScheduleResumed)
}

func change(v *site.Visit, c owner.ScheduleChange, done words.Key) error {
	c.If = v.R.PostFormValue("if")
	if _, err := v.Owner.SetSchedule(v.Context(), name(v), c); err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(name(v)), done)
}

// The ways of a schedule's form.
const (
	wayRecommended = "recommended"
	wayHand        = "hand"
	wayEvery       = "every"
)

// units are those of an interval's form, with their seconds.
var units = []struct {
	Name    string
	Seconds int64
}{{words.Minutes, 60}, {words.Hours, 3600}, {words.Days, 86400}}

func reschedule(v *site.Visit) error {
	switch v.R.PostFormValue("way") {
	case wayRecommended:
		return change(v, owner.AsRecommended(), words.ScheduleSet)
	case wayHand:
		return change(v, owner.ByHand(), words.ScheduleSet)
	case wayEvery:
		n, err := strconv.ParseInt(v.R.PostFormValue("number"), 10, 32)
		unit, uerr := strconv.Atoi(v.R.PostFormValue("unit"))
		if err != nil || uerr != nil || n < 1 || unit < 0 || unit >= len(units) {
			return abi.NewError(abi.CodeUsage, words.NoInterval, words.NoIntervalHint)
		}
		return change(v, owner.ByItself(time.Duration(n*units[unit].Seconds)*time.Second), words.ScheduleSet)
	}
	return abi.NewError(abi.CodeUsage, words.NoWay, words.NoWayHint)
}
