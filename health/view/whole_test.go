package view_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// HL-21.1: what a list shows of a verdict is, name by name, what the verdict holds,
// whoever its primary action is for.
func TestBriefIsTheVerdicts(t *testing.T) {
	t.Parallel()
	for audience, change := range map[verdict.Audience]func(*health.Evidence){
		verdict.AudienceOwner:      func(e *health.Evidence) { e.Run.LatestStatus, e.Run.ReasonCode = health.RunFailed, "demo_auth_failed" },
		verdict.AudienceMaintainer: func(e *health.Evidence) { e.Coverage.Axis = health.CoverageTerminalGap },
		verdict.AudienceNone:       func(e *health.Evidence) { e.Activity = &health.Activity{Active: true} },
	} {
		e := health.Evidence{
			ObservedAt: now, Run: &health.Run{LatestStatus: health.RunSucceeded, LastSuccessAt: now}, Coverage: &health.Coverage{Axis: health.CoverageComplete},
			Freshness: &health.FreshnessResult{Axis: health.FreshnessStale}, Schedule: &health.Schedule{Enabled: true},
		}
		change(&e)
		v := render(e, verdict.ModeManual)
		b := view.BriefOf(&v)
		if len(v.RequiredActions) == 0 || v.RequiredActions[0].Audience != audience || b.MoreActions != len(v.RequiredActions)-1 {
			t.Fatalf("%s: got %+v, want len(v.RequiredActions) != 0 && v.RequiredActions[0].Audience == audience && b.MoreActions == len(v.RequiredActions) - 1", audience, v.RequiredActions)
		}
		sameFields(t, b, v, "required_actions", "more_actions")
		sameFields(t, b.RequiredActions[0], v.RequiredActions[0], "more_affects", "recovery")
		if text, owners := b.Primary(); text != v.RequiredActions[0].CTA || owners != (audience == verdict.AudienceOwner) {
			t.Errorf("%s: got %q, %v, want text == v.RequiredActions[0].CTA && owners == (audience == verdict.AudienceOwner)", audience, text, owners)
		}
		// Automatic work is mentioned beside the sentence, an owner's step is not.
		said := slices.Contains(b.Notes(), v.RequiredActions[0].CTA+".")
		if said != (audience == verdict.AudienceNone) || len(v.Annotations) != 1 || !slices.Contains(b.Notes(), v.Annotations[0].Text) {
			t.Errorf("%s: got %q, want said == (audience == verdict.AudienceNone) && len(v.Annotations) == 1 && slices.Contains(b.Notes(), v.Annotations[0].Text)", audience, b.Notes())
		}
	}
}

// sameFields reports which of a's fields, but for those left out, b has otherwise.
func sameFields(t *testing.T, a, b any, but ...string) {
	t.Helper()
	read := func(v any) map[string]any {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	got, want := read(a), read(b)
	for name, value := range got {
		if !slices.Contains(but, name) && !reflect.DeepEqual(value, want[name]) {
			t.Errorf("%s = %v, want %v", name, value, want[name])
		}
	}
}

// HL-21.1, HL-27.2: the inspection layer shows everything in the detail, and unknown
// values as unknown.
func TestDetailsAreWhole(t *testing.T) {
	t.Parallel()
	well := health.Condition{Type: health.CollectionSucceeded, ID: "CollectionSucceeded:a", Status: health.True, Reason: "a", Message: "It went well.", Current: true}
	asks := health.Condition{
		Type: health.AttentionClear, ID: "AttentionClear:c", Status: health.False, Reason: "c", Message: "It asks.", Current: true, ExpiresAt: health.At(now.Add(time.Hour)),
	}
	over := health.Condition{
		Type: health.BacklogClear, ID: "BacklogClear:b", Status: health.False, Reason: "b", Message: "It waits.", Streams: []string{"x", "y"},
		Remediation: &health.Remediation{Label: "Look"},
	}
	for name, c := range map[string]struct {
		of   verdict.Detail
		want []view.Line
	}{
		"everything": {
			verdict.Detail{
				State: health.StateDegraded, ReasonCode: "r", DominantConditionID: "BacklogClear:b", ForwardDisposition: health.DispositionResumable,
				Axes:   health.Axes{Attention: "none", Coverage: "gaps", Freshness: "stale", Outbox: "stalled", RemoteSurface: "idle"},
				Badges: health.Badges{Syncing: true}, Conditions: []health.Condition{well, over, asks},
				DetailGapBacklog: &health.Backlog{Pending: 7, PendingIsFloor: true, PendingOther: 2, Recovered: new(int64(3)), MaxAttemptCount: 5, NextAttemptAt: now},
				OutboxCounts:     &health.OutboxCounts{Pending: new(int64(4)), DeadLetter: new(int64(1)), Succeeded: new(int64(9))}, NextAttemptAt: now,
				CollectionRate: []byte(`{"per_minute":3}`), Suppressed: []verdict.Suppressed{{Kind: "drain", DetailField: "detail_gap_backlog"}},
				Violations: []verdict.Violation{verdict.RedSilent},
			},
			[]view.Line{
				{Name: "state", Text: "degraded (r)"},
				{Name: "disposition", Text: "resumable"},
				{Name: "axes", Text: "attention none, coverage gaps, freshness stale, outbox stalled, remote surface idle"},
				{Name: "activity", Text: "a run is going on"},
				{Name: "CollectionSucceeded", Text: "true (a)  It went well."},
				{Name: "BacklogClear *", Text: "false (b)  It waits. Look. Streams: x, y. No longer current."},
				{Name: "AttentionClear", Text: "false (c)  It asks. Until 2026-05-20T07:00:00Z."},
				{Name: "backlog", Text: "at least 7 under source pressure, 2 others, 3 recovered, up to 5 attempts, not before 2026-05-20T06:00:00Z"},
				{Name: "outbox", Text: "4 waiting, 1 given up, 9 delivered"},
				{Name: "next attempt", Text: "not before 2026-05-20T06:00:00Z"},
				{Name: "rate", Text: `{"per_minute":3}`},
				{Name: "handled", Text: "drain, see detail_gap_backlog"},
				{Name: "withheld", Text: "red_silent"},
			},
		},
		"nothing but a backlog of nothing": {
			verdict.Detail{State: health.StateHealthy, ForwardDisposition: health.DispositionComplete, DetailGapBacklog: &health.Backlog{PendingOtherIsFloor: true}},
			[]view.Line{
				{Name: "state", Text: "healthy"},
				{Name: "disposition", Text: "complete"},
				{Name: "axes", Text: "attention , coverage , freshness , outbox , remote surface "},
				{Name: "backlog", Text: "0 under source pressure, at least 0 others"},
			},
		},
		"nothing": {
			verdict.Detail{},
			[]view.Line{
				{Name: "state"}, {Name: "disposition"}, {Name: "axes", Text: "attention , coverage , freshness , outbox , remote surface "},
				{Name: "backlog", Text: "not known"},
			},
		},
	} {
		if got := view.Details(&verdict.RenderedVerdict{Detail: &c.of}); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}
