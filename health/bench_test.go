package health_test

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// The figures of docs/performance.md: an input as a list page meets it.
const (
	projectAllocs    = 40
	synthesizeAllocs = 30
)

// typical is a scheduled connection whose source is slowing it down.
func typical(t testing.TB) health.Evidence {
	t.Helper()
	now := health.At(time.Date(2031, 3, 9, 10, 0, 0, 0, time.UTC))
	ago := func(h int) health.Instant { return health.At(now.Add(-time.Duration(h) * time.Hour)) }
	yes := true
	limit, recovered := 100, int64(12)
	gaps := make([]health.PendingGap, 20)
	for i := range gaps {
		gaps[i] = health.PendingGap{Reason: "rate_limited", AttemptCount: int64(i % 4), NextAttemptAfter: ago(-1), Stream: "messages"}
	}
	return health.Evidence{
		ObservedAt: now, Run: &health.Run{LatestStatus: health.RunFailed, ReasonCode: "rate_limit_error", LastSuccessAt: ago(30)},
		Backoff:  &health.Backoff{ConsecutiveFailures: 2, NextRunAt: ago(-1), ReasonClass: "failure:rate_limited", RecordedAt: ago(1)},
		Coverage: &health.Coverage{Axis: health.CoverageRetryableGap, Streams: []string{"messages"}}, Freshness: &health.FreshnessResult{Axis: health.FreshnessStale},
		Schedule: &health.Schedule{Enabled: true}, Refresh: &health.Refresh{BackgroundSafe: &yes, RecommendedMode: "automatic", InteractionPosture: "none"},
		Activity: &health.Activity{}, DetailGaps: &health.DetailGaps{Pending: gaps, ReadLimit: &limit, Recovered: &recovered},
	}
}

func typicalInput(t testing.TB) verdict.Input {
	t.Helper()
	e := typical(t)
	n, kept := int64(41), int64(18204)
	stream := func(id string, axis health.CoverageAxis) verdict.StreamRollup {
		return verdict.StreamRollup{
			StreamID: id, Coverage: axis, Priority: verdict.Required, GapRetryable: axis == health.CoverageRetryableGap, Considered: &kept, Collected: &n,
		}
	}
	return verdict.Input{
		Snapshot: health.Project(e), Refresh: e.Refresh, RuntimeOK: true, Schedule: &verdict.Schedule{Mode: verdict.ScheduleActive, HasPriorSuccess: true},
		Streams: []verdict.StreamRollup{
			stream("messages", health.CoverageRetryableGap), stream("sessions", health.CoverageComplete), stream("attachments", health.CoverageComplete),
		},
		Progress: &verdict.ProgressEvidence{
			Mode: verdict.ModeScheduled, RecordsCommittedLastRun: &n, RetainedRecords: &kept, LastRefreshedAt: e.Run.LastSuccessAt, ObservedAt: e.ObservedAt,
		},
	}
}

func BenchmarkProject(b *testing.B) {
	e := typical(b)
	b.ReportAllocs()
	for b.Loop() {
		_ = health.Project(e)
	}
}

func BenchmarkSynthesize(b *testing.B) {
	in := typicalInput(b)
	b.ReportAllocs()
	for b.Loop() {
		_ = verdict.Synthesize(in)
	}
}

func TestAllocations(t *testing.T) {
	e, in := typical(t), typicalInput(t)
	if n := testing.AllocsPerRun(100, func() { _ = health.Project(e) }); n > projectAllocs {
		t.Errorf("Project allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { _ = verdict.Synthesize(in) }); n > synthesizeAllocs {
		t.Errorf("Synthesize allocates %v times", n)
	}
}
