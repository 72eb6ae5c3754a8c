package view_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// HL-20.1, HL-20.2: a backlog has a cue where the source holds the connection up or a
// run can fill what is missing, and nowhere else, however much is left.
func TestBacklogCueByState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state    health.State
		coverage health.CoverageAxis
		cue      bool
	}{
		{health.StateCoolingOff, health.CoverageComplete, true},
		{health.StateCoolingOff, health.CoverageRetryableGap, true},
		{health.StateDegraded, health.CoverageRetryableGap, true},
		{health.StateNeedsAttention, health.CoverageRetryableGap, true},
		{health.StateBlocked, health.CoverageRetryableGap, true},
		{health.StateDegraded, health.CoverageComplete, false},
		{health.StateDegraded, health.CoverageTerminalGap, false},
		{health.StateHealthy, health.CoverageRetryableGap, false},
		{health.StateIdle, health.CoverageRetryableGap, false},
		{health.StateUnknown, health.CoverageRetryableGap, false},
	} {
		v := verdict.RenderedVerdict{Detail: &verdict.Detail{
			State: c.state, Axes: health.Axes{Coverage: c.coverage}, DetailGapBacklog: &health.Backlog{Pending: 2, Recovered: new(int64(0))},
		}}
		got := view.BacklogCueOf(&v)
		if (got != nil) != c.cue || got != nil && (got.Pending != 2 || got.Text != "2 details still to fetch") {
			t.Errorf(`got %s, %s: %+v, want (got != nil) == c.cue && (got == nil || got.Pending == 2 && got.Text == "2 details still to fetch")`, c.state, c.coverage, got)
		}
		v.Detail.DetailGapBacklog.Pending = 0
		if got := view.BacklogCueOf(&v); got != nil {
			t.Errorf("%s, %s, nothing pending: %+v, want got == nil", c.state, c.coverage, got)
		}
	}
	if view.BacklogCueOf(&verdict.RenderedVerdict{}) != nil || view.BacklogScale(&verdict.RenderedVerdict{}) != "" {
		t.Error("a verdict without its detail has a backlog")
	}
}

// HL-09.1: whatever is wrong is in sight, blocked no less than degraded; what is well,
// or being determined, is not called wrong.
func TestWrongIsInSight(t *testing.T) {
	t.Parallel()
	for tone, c := range map[verdict.Tone]struct {
		visible bool
		summary string
	}{
		verdict.Green: {false, "2 connections: 2 healthy; 2 without records"},
		verdict.Grey:  {false, "2 connections: 2 checking; 2 without records"},
		verdict.Amber: {true, "2 connections: 2 degraded; 2 without records"},
		verdict.Red:   {true, "2 connections: 2 can't collect; 2 without records"},
	} {
		var f view.Fleet
		f.Add(view.Standing{Tone: tone, Channel: verdict.Advisory}, 2, true)
		if (f.AttentionVisible == 2) != c.visible || f.AttentionVisible != 0 && !c.visible || f.AllClear != (tone == verdict.Green) || f.Summary() != c.summary {
			t.Errorf("%s: got %+v %s, want (f.AttentionVisible == 2) == c.visible && (f.AttentionVisible == 0 || c.visible) && f.AllClear == (tone == verdict.Green) && f.Summary() == c.summary", tone, f, f.Summary())
		}
		// Later annotations do not hide it, and only an interrupting verdict needs the
		// owner.
		f.Add(view.Standing{Tone: verdict.Green, Channel: verdict.Attention, Records: true, Stalled: true}, 3, true)
		if f.AllClear != (tone == verdict.Green) || f.NeedsOwner != 3 || f.UploadsStalled != 3 || f.WithRecords != 3 || f.WithoutRecords != 2 || f.Registered != 5 {
			t.Errorf("%s, and others: %+v, want f.AllClear == (tone == verdict.Green) && f.NeedsOwner == 3 && f.UploadsStalled == 3 && f.WithRecords == 3 && f.WithoutRecords == 2 && f.Registered == 5", tone, f)
		}
	}
}
