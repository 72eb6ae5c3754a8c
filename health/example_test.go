package health_test

import (
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// A run succeeded an hour ago and collected everything. Without evidence of a part
// that part is unknown, and an unknown connection is never healthy.
func ExampleProject() {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	evidence := health.Evidence{
		ObservedAt: health.At(now),
		Run:        &health.Run{LatestStatus: health.RunSucceeded, LastSuccessAt: health.At(now.Add(-time.Hour))},
		Coverage:   &health.Coverage{Axis: health.CoverageComplete},
		Freshness:  &health.FreshnessResult{Axis: health.FreshnessFresh},
	}
	known := health.Project(evidence)
	fmt.Println(known.State, known.ForwardDisposition)

	evidence.Coverage = nil // nobody looked
	unknown := health.Project(evidence)
	fmt.Println(unknown.State, unknown.Axes.Coverage)
	// Output:
	// healthy complete
	// unknown unknown
}
