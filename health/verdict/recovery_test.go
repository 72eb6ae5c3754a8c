package verdict_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// HL-23.6, HL-23.7, HL-23.8, HL-23.12: the cause of a stalled outbox determines the
// first step, in the action and in the sentence, whatever the other actions are.
func TestStallSaysItsStep(t *testing.T) {
	t.Parallel()
	for cause, c := range map[health.StalledCause]struct {
		cta     string
		forward verdict.Code
	}{
		health.CauseStateReadFailed:   {"Re-run the collector on the host that holds the data", "state_read_failed"},
		health.CauseDeadLetterBacklog: {"Records saved on the collector's host did not upload to the server: see there why, then send them again", "dead_letter_backlog"},
		health.CauseStalePending:      {"Queued work stopped moving: re-run the collector on its host", "stale_pending"},
		"":                            {"Check the collector on the host that holds the data", "stalled_unknown"},
	} {
		for _, coverage := range []health.CoverageAxis{health.CoverageComplete, health.CoverageTerminalGap} {
			v := verdict.Synthesize(verdict.Input{RuntimeOK: true, Snapshot: health.Project(health.Evidence{
				ObservedAt: health.At(noon), LocalDeviceBacked: true, Outbox: &health.Outbox{Axis: health.OutboxStalled, Cause: cause},
				Coverage: &health.Coverage{Axis: coverage}, Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh},
			})})
			if a := v.RequiredActions[0]; a.CTA != c.cta || a.Remediation == nil || a.Remediation.Cause != string(c.forward) || v.ForwardCode != c.forward {
				t.Errorf("v.RequiredActions[0]: got %q, %s: %q, %s, %+v, want a.CTA == c.cta && a.Remediation != nil && a.Remediation.Cause == string(c.forward) && v.ForwardCode == c.forward", cause, coverage, a.CTA, v.ForwardCode, a.Remediation)
			}
		}
	}
}

// HL-24: what is idle is said to lack nothing, and not that collection works.
func TestIdleIsToldAsIdle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state   health.State
		forward verdict.Code
	}{{health.StateIdle, "complete_idle"}, {health.StateHealthy, "complete"}} {
		in := short()
		in.Snapshot.State, in.Snapshot.ForwardDisposition, in.Snapshot.Axes.Coverage = c.state, health.DispositionComplete, health.CoverageComplete
		in.Streams = nil
		if v := verdict.Synthesize(in); v.ForwardCode != c.forward || v.Pill.Tone != verdict.Green || len(v.RequiredActions) > 0 {
			t.Errorf("%s: verdict.Synthesize(in): got %s %s %+v, want v.ForwardCode == c.forward && v.Pill.Tone == verdict.Green && len(v.RequiredActions) <= 0", c.state, v.Pill.Tone, v.ForwardCode, v.RequiredActions)
		}
	}
}
