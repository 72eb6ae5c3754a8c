package view

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// BacklogCue reports how much is left to catch up with (HL-20). nil: there is nothing
// to report, or it is unknown.
type BacklogCue struct {
	Pending   int64  `json:"pending"`
	Recovered *int64 `json:"recovered"`
	Text      string `json:"text"`
}

// BacklogCueOf returns the cue of a connection whose source was under pressure. Its
// words depend on the class of the reason: they name no connector and no code, and no
// number except the backlog's own.
func BacklogCueOf(v *verdict.RenderedVerdict) *BacklogCue {
	d := v.Detail
	if d == nil || d.DetailGapBacklog == nil || d.DetailGapBacklog.Pending <= 0 || !catchingUp(d) {
		return nil
	}
	b := d.DetailGapBacklog
	text := details(b.Pending, b.PendingIsFloor) + " still to fetch"
	if b.Recovered != nil && *b.Recovered > 0 {
		text += ", " + strconv.FormatInt(*b.Recovered, 10) + " fetched since"
	}
	return &BacklogCue{Pending: b.Pending, Recovered: b.Recovered, Text: text}
}

// catchingUp reports whether the connection is delayed by its source, or has gaps that
// a run can fill. A healthy or idle connection is not.
func catchingUp(d *verdict.Detail) bool {
	switch d.State {
	case health.StateHealthy, health.StateIdle, health.StateUnknown:
		return false
	}
	return d.Axes.Coverage == health.CoverageRetryableGap || d.State == health.StateCoolingOff
}

// BacklogScale returns the text of a page that shows the backlog's scale, also for
// connections without a cue. It says that nothing is left only if that is true:
// details that are missing for other reasons are named separately (HL-20.3). "":
// nothing was counted.
func BacklogScale(v *verdict.RenderedVerdict) string {
	if v.Detail == nil || v.Detail.DetailGapBacklog == nil {
		return ""
	}
	b := v.Detail.DetailGapBacklog
	switch {
	case b.Pending > 0 && b.PendingOther > 0:
		return "waiting for the source: " + details(b.Pending, b.PendingIsFloor) + "; missing for other reasons: " + atLeast(b.PendingOther, b.PendingOtherIsFloor)
	case b.Pending > 0:
		return "waiting for the source: " + details(b.Pending, b.PendingIsFloor)
	case b.PendingOther > 0:
		return "missing, and not held up by the source: " + details(b.PendingOther, b.PendingOtherIsFloor)
	case b.PendingIsFloor || b.PendingOtherIsFloor:
		return "not all details were counted"
	}
	return "all caught up"
}

func details(n int64, floor bool) string {
	if n == 1 && !floor {
		return "1 detail"
	}
	return atLeast(n, floor) + " details"
}
