package verdict_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// short is what is known of a degraded connection that a run can fill and that no
// evidence says is anybody's to run: its owner may.
func short() verdict.Input {
	return verdict.Input{
		Snapshot: health.Snapshot{
			State: health.StateDegraded, ForwardDisposition: health.DispositionResumable,
			Axes: health.Axes{Coverage: health.CoverageRetryableGap, Freshness: health.FreshnessFresh, Attention: health.AttentionNone, Outbox: health.OutboxIdle},
		},
		Streams:   []verdict.StreamRollup{{StreamID: "a", Coverage: health.CoverageRetryableGap, GapRetryable: true}},
		RuntimeOK: true,
	}
}

func mode(m verdict.Mode) func(*verdict.Input) {
	return func(in *verdict.Input) { in.Progress = &verdict.ProgressEvidence{Mode: m} }
}

// HL-29.1, HL-25.3, HL-23.5: what the system is at, or will be, asks its owner for
// nothing and waits, once; what nothing else would fill asks.
func TestOnlyWhatNobodyDoesIsAsked(t *testing.T) {
	t.Parallel()
	soon := health.At(time.Date(2031, 3, 9, 11, 0, 0, 0, time.UTC))
	idle := func(in *verdict.Input) { in.Snapshot.State = health.StateIdle }
	partial := func(in *verdict.Input) {
		in.Snapshot.Axes.Coverage, in.Streams[0].Coverage = health.CoveragePartial, health.CoveragePartial
	}
	coolsOff := func(in *verdict.Input) { in.Snapshot.State = health.StateCoolingOff }
	attempt := func(in *verdict.Input) { in.Snapshot.NextAttemptAt = soon }
	syncing := func(in *verdict.Input) { in.Snapshot.Badges.Syncing = true }
	pressure := func(in *verdict.Input) { in.Snapshot.ReasonCode = "source_pressure" }
	byPolicy := func(in *verdict.Input) { in.Refresh = &health.Refresh{RecommendedMode: "manual"} }
	notRun := func(in *verdict.Input) { in.Schedule = &verdict.Schedule{Mode: verdict.ScheduleManual} }
	exhausted := func(in *verdict.Input) {
		in.Snapshot.Conditions = []health.Condition{{
			Type: health.RetryPolicyClear, Status: health.False, Severity: health.Blocked, Sensitivity: health.OwnerOnly, Current: true,
		}}
	}
	for name, c := range map[string]struct {
		of    []func(*verdict.Input)
		asked bool
	}{
		"nothing is at it":                    {nil, true},
		"a run is at it":                      {[]func(*verdict.Input){syncing}, false},
		"the source asked for less":           {[]func(*verdict.Input){pressure}, false},
		"it cools off":                        {[]func(*verdict.Input){coolsOff}, false},
		"it is tried again":                   {[]func(*verdict.Input){attempt}, false},
		"it drains by schedule":               {[]func(*verdict.Input){mode(verdict.ModeScheduled)}, false},
		"it drains, and well":                 {[]func(*verdict.Input){mode(verdict.ModeDeferred), idle}, false},
		"it drains, and not well":             {[]func(*verdict.Input){mode(verdict.ModeDeferred)}, true},
		"well, and a run can fill it":         {[]func(*verdict.Input){idle}, true},
		"well, and whether one can is open":   {[]func(*verdict.Input){idle, partial}, false},
		"by hand, well, it may":               {[]func(*verdict.Input){mode(verdict.ModeManual), idle}, true},
		"by hand, a time of the provider's":   {[]func(*verdict.Input){mode(verdict.ModeManual), attempt}, false},
		"its owner's, whatever comes":         {[]func(*verdict.Input){byPolicy, attempt, idle, partial}, true},
		"its owner's, and the source is full": {[]func(*verdict.Input){byPolicy, coolsOff, pressure}, false},
		"nothing runs it":                     {[]func(*verdict.Input){notRun, mode(verdict.ModeScheduled), attempt}, true},
		"nothing runs it, and a run is at it": {[]func(*verdict.Input){notRun, syncing}, false},
		"given up":                            {[]func(*verdict.Input){exhausted, mode(verdict.ModeScheduled), attempt}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := short()
			for _, change := range c.of {
				change(&in)
			}
			v := verdict.Synthesize(in)
			kind, channel := verdict.Wait, verdict.Calm
			if c.asked {
				kind, channel = verdict.RetryGap, verdict.Advisory
			}
			if len(v.RequiredActions) != 1 || v.RequiredActions[0].Kind != kind || v.Channel != channel || v.Detail.Violations != nil {
				t.Errorf("%s %+v, want %s; withheld for %q", v.Channel, v.RequiredActions, kind, v.Detail.Violations)
			}
		})
	}
}

// HL-22.5: nobody is asked to fetch data that is not known to be missing, and no
// sentence announces it, however the connection's runs are started.
func TestUnknownCoverageAsksForNoRetry(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*verdict.Input){
		"by its policy":   func(in *verdict.Input) { in.Refresh = &health.Refresh{RecommendedMode: "manual"} },
		"by hand":         mode(verdict.ModeManual),
		"deferred":        mode(verdict.ModeDeferred),
		"nothing runs it": func(in *verdict.Input) { in.Schedule = &verdict.Schedule{Mode: verdict.ScheduleManual} },
		"on a device":     func(in *verdict.Input) { in.Schedule = &verdict.Schedule{Mode: verdict.ScheduleOnDevice} },
		"by schedule":     func(in *verdict.Input) { in.Schedule = &verdict.Schedule{Mode: verdict.ScheduleActive} },
	} {
		for state, tone := range map[health.State]verdict.Tone{health.StateIdle: verdict.Grey, health.StateDegraded: verdict.Amber} {
			in := short()
			in.Snapshot.State, in.Snapshot.Axes.Coverage, in.Snapshot.ForwardDisposition = state, health.CoverageUnknown, health.DispositionChecking
			in.Streams[0].Coverage = health.CoverageUnknown
			change(&in)
			v := verdict.Synthesize(in)
			if len(v.RequiredActions) > 0 || v.Pill.Tone != tone || v.ForwardCode != "checking" || v.Streams[0].Code != "checking" || v.Detail.Violations != nil {
				t.Errorf(`got %s, %s: %+v %s %+v, want len(v.RequiredActions) <= 0 && v.Pill.Tone == tone && v.ForwardCode == "checking" && v.Streams[0].Code == "checking" && v.Detail.Violations == nil`, name, state, v.Pill, v.ForwardCode, v.RequiredActions)
			}
		}
	}
}

// HL-24: missing data is reported even if its stream is unknown.
func TestAGapOfNoStreamIsTold(t *testing.T) {
	t.Parallel()
	for ok, want := range map[bool]verdict.Code{true: "resumable", false: "complete_held"} {
		in := short()
		mode(verdict.ModeScheduled)(&in)
		in.Streams, in.RuntimeOK = nil, ok
		if v := verdict.Synthesize(in); v.ForwardCode != want || len(v.RequiredActions) != 1 || v.RequiredActions[0].Kind != verdict.Wait {
			t.Errorf("runtime ok %v: %s %+v, want v.ForwardCode == want && len(v.RequiredActions) == 1 && v.RequiredActions[0].Kind == verdict.Wait", ok, v.ForwardCode, v.RequiredActions)
		}
	}
}

// HL-27.2: whatever is kept quiet is named in the detail with the field that holds it,
// whether anything is missing or not.
func TestQuietIsNamed(t *testing.T) {
	t.Parallel()
	whole := func(in *verdict.Input) {
		in.Snapshot.Axes.Coverage, in.Snapshot.ForwardDisposition, in.Streams[0].Coverage = health.CoverageComplete, health.DispositionComplete, health.CoverageComplete
	}
	drain := verdict.Suppressed{Kind: "drain", DetailField: "detail_gap_backlog"}
	cooldown := verdict.Suppressed{Kind: "cooldown", DetailField: "next_attempt_at"}
	syncing := verdict.Suppressed{Kind: "syncing", DetailField: "badges"}
	fault := verdict.Suppressed{Kind: "runtime_fault", DetailField: "runtime_ok"}
	for name, c := range map[string]struct {
		change func(*verdict.Input)
		want   []verdict.Suppressed
	}{
		"its owner's":    {func(*verdict.Input) {}, []verdict.Suppressed{}},
		"it drains":      {mode(verdict.ModeScheduled), []verdict.Suppressed{drain}},
		"it cools off":   {func(in *verdict.Input) { in.Snapshot.State = health.StateCoolingOff }, []verdict.Suppressed{drain, cooldown}},
		"a run is going": {func(in *verdict.Input) { in.Snapshot.Badges.Syncing = true }, []verdict.Suppressed{drain, syncing}},
		"whole, and it cools off": {func(in *verdict.Input) {
			whole(in)
			in.Snapshot.State = health.StateCoolingOff
		}, []verdict.Suppressed{cooldown}},
		"whole, and tried again": {func(in *verdict.Input) {
			whole(in)
			in.Snapshot.State, in.Snapshot.NextAttemptAt = health.StateIdle, health.At(noon)
		}, []verdict.Suppressed{cooldown}},
		"whole, and a run is going": {func(in *verdict.Input) {
			whole(in)
			in.Snapshot.State, in.Snapshot.Badges.Syncing = health.StateHealthy, true
		}, []verdict.Suppressed{syncing}},
		"an optional stream drains": {func(in *verdict.Input) {
			mode(verdict.ModeScheduled)(in)
			in.Snapshot.Axes.Coverage, in.Snapshot.ForwardDisposition = health.CoverageComplete, health.DispositionComplete
			in.Snapshot.State, in.Streams[0].Priority = health.StateHealthy, verdict.Optional
		}, []verdict.Suppressed{drain}},
		"the runtime is down": {func(in *verdict.Input) { in.RuntimeOK = false }, []verdict.Suppressed{fault}},
	} {
		in := short()
		c.change(&in)
		if v := verdict.Synthesize(in); !slices.Equal(v.Detail.Suppressed, c.want) {
			t.Errorf("%s: %+v, want %+v", name, v.Detail.Suppressed, c.want)
		}
	}
}
