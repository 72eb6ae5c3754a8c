package verdict_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// The last run left gaps in one stream. The verdict says so, and what mends it.
func ExampleSynthesize() {
	snapshot := health.Project(health.Evidence{
		Run:       &health.Run{LatestStatus: health.RunSucceeded},
		Coverage:  &health.Coverage{Axis: health.CoverageRetryableGap, Streams: []string{"issues"}},
		Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh},
	})
	v := verdict.Synthesize(verdict.Input{
		Snapshot: snapshot, RuntimeOK: true,
		Schedule: &verdict.Schedule{Mode: verdict.ScheduleActive, HasPriorSuccess: true},
		Streams: []verdict.StreamRollup{
			{StreamID: "issues", Coverage: health.CoverageRetryableGap, Priority: verdict.Required, GapRetryable: true},
		},
	})
	fmt.Println(v.Pill.Label)
	fmt.Println(v.ForwardStatement)
	fmt.Println(v.RequiredActions[0].Kind)
	// Output:
	// Degraded
	// Running it now fetches what is missing.
	// retry_gap
}
