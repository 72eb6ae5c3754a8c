package health_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// HL-05.3: an open request speaks for its connection whatever else is the matter, and
// no longer than it is open.
func TestAttentionGoesFirst(t *testing.T) {
	t.Parallel()
	now := instant(t, "2031-03-09T10:00:00Z")
	for name, c := range map[string]struct {
		change    func(*health.Evidence)
		want, off health.State // while it is open, and once it has expired
	}{
		"well":   {func(*health.Evidence) {}, health.StateNeedsAttention, health.StateHealthy},
		"paused": {func(e *health.Evidence) { e.Schedule = &health.Schedule{} }, health.StateNeedsAttention, health.StateIdle},
		"paused, its owner's": {func(e *health.Evidence) {
			e.Schedule, e.Refresh = &health.Schedule{}, &health.Refresh{RecommendedMode: "manual"}
		}, health.StateNeedsAttention, health.StateIdle},
		"it waits": {func(e *health.Evidence) {
			e.Backoff = &health.Backoff{ConsecutiveFailures: 1, NextRunAt: health.At(now.Add(time.Hour))}
		}, health.StateNeedsAttention, health.StateCoolingOff},
		"given up": {func(e *health.Evidence) {
			e.Backoff = &health.Backoff{ConsecutiveFailures: 7, NextRunAt: health.At(now.Add(time.Hour))}
		}, health.StateNeedsAttention, health.StateBlocked},
		"rejected": {func(e *health.Evidence) {
			e.Run = &health.Run{LatestStatus: health.RunFailed, ReasonCode: "demo_auth_failed"}
		}, health.StateNeedsAttention, health.StateBlocked},
		"degraded": {func(e *health.Evidence) { e.Coverage.Axis = health.CoverageGaps }, health.StateNeedsAttention, health.StateDegraded},
		"and a read model that cannot be read": {func(e *health.Evidence) {
			e.Projection.UnreliableSources = []health.Word{"runs"}
		}, health.StateUnknown, health.StateUnknown},
	} {
		for _, open := range []bool{true, false} {
			e := health.Evidence{
				ObservedAt: now, Run: &health.Run{LatestStatus: health.RunSucceeded}, Coverage: &health.Coverage{Axis: health.CoverageComplete},
				Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh}, Schedule: &health.Schedule{Enabled: true},
				Attention: &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: "otp_required"},
			}
			want := c.want
			if !open {
				e.Attention.ExpiresAt, want = now, c.off
			}
			c.change(&e)
			s := health.Project(e)
			dominant := want != health.StateNeedsAttention || s.DominantConditionID == "AttentionClear:otp_required" && s.NextAction != nil
			if s.State != want || !dominant {
				t.Errorf("%s, open %v: %s by %s, want %s", name, open, s.State, s.DominantConditionID, want)
			}
		}
	}
}

// HL-05.3: a run that nobody holds any more asks nothing: whoever answered would
// answer nobody.
func TestADeadRunAsksNothing(t *testing.T) {
	t.Parallel()
	ended := time.Date(2031, 3, 9, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		alive        bool
		asking, want health.Word
	}{{true, "otp", "q"}, {false, "otp", ""}, {true, "", ""}, {false, "", ""}} {
		s := &stored.Facts{
			Settled: &stored.Run{ID: "r", Status: "succeeded", StartedUS: ended.UnixMicro() - 1, EndedUS: ended.UnixMicro()},
			Latest:  &stored.Run{ID: "q", Status: "running", StartedUS: ended.UnixMicro() + 1}, Asking: c.asking,
		}
		a := s.Evidence(stored.Moment{Now: health.At(ended.Add(time.Hour)), RunAlive: c.alive}).Attention
		if got := runOf(a); got != c.want || (a != nil) != (c.want != "") {
			t.Errorf(`alive %v, asking %q: %+v, want got == c.want && (a != nil) == (c.want != "")`, c.alive, c.asking, a)
		}
	}
}

func runOf(a *health.Attention) health.Word {
	if a == nil {
		return ""
	}
	return a.RunID
}

// HL-02.1: what a request names is shown where it is a code, and is taken out, and
// said to be, where it could be a secret or say where something lives.
func TestActionTargetIsRedacted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target, sensitivity, want health.Word
		marked                    health.Sensitivity
	}{
		{"account_page", "none", "account_page", health.OwnerOnly},
		{"", "none", "", health.OwnerOnly},
		{"https://source.example/verify?token=abc", "none", "", health.SecretRedacted},
		{"password=hunter2hunter2", "none", "", health.SecretRedacted},
		{"account_page", "secret", "", health.SecretRedacted},
	} {
		s := health.Project(health.Evidence{Attention: &health.Attention{
			Lifecycle: health.AttentionOpen, ReasonCode: "otp_required", ActionTarget: c.target, Sensitivity: c.sensitivity,
		}})
		got := s.Conditions[slices.Index(health.Types[:], health.AttentionClear)]
		if got.Remediation.Target != c.want || got.Sensitivity != c.marked || s.NextAction.ActionTarget != c.want {
			t.Errorf("got %q, %s: %q %s, %q, want got.Remediation.Target == c.want && got.Sensitivity == c.marked && s.NextAction.ActionTarget == c.want", c.target, c.sensitivity, got.Remediation.Target, got.Sensitivity, s.NextAction.ActionTarget)
		}
	}
}
