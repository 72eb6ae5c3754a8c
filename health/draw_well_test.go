package health_test

import (
	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/health"
)

// drawNearlyWell draws the evidence of a connection about which nothing is wrong, by a
// run or by its device, and spoils at most two parts of it: evidence that is drawn part
// by part is almost never well, and what holds of the well is hardly tried by it.
func drawNearlyWell(t *rapid.T) health.Evidence {
	drawn := drawEvidence(t, anyWord)
	e := health.Evidence{
		ObservedAt: drawnNow, Refresh: drawn.Refresh, DetailGaps: drawn.DetailGaps, Coverage: &health.Coverage{Axis: health.CoverageComplete},
		Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh}, LocalDeviceBacked: drawn.LocalDeviceBacked,
	}
	if e.LocalDeviceBacked {
		e.Outbox = &health.Outbox{Axis: health.OutboxIdle}
	}
	if !e.LocalDeviceBacked || rapid.Bool().Draw(t, "by a run") {
		e.Run = &health.Run{LatestStatus: health.RunSucceeded, LastSuccessAt: drawnNow}
	}
	parts := [...]func(){
		func() { e.Run = drawn.Run },
		func() { e.Backoff = drawn.Backoff },
		func() { e.Attention = drawn.Attention },
		func() { e.Coverage = drawn.Coverage },
		func() { e.Freshness = drawn.Freshness },
		func() { e.Outbox = drawn.Outbox },
		func() { e.Projection = drawn.Projection },
		func() { e.Schedule = drawn.Schedule },
		func() { e.RemoteSurface = drawn.RemoteSurface },
		func() { e.Activity = drawn.Activity },
		func() { e.Credentials = drawn.Credentials },
		func() { e.LocalDeviceBacked = !e.LocalDeviceBacked },
	}
	for range one(t, "spoilt parts", 0, 1, 1, 2) {
		parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")]()
	}
	return e
}

// fewestWell is how many of a property's hundred draws have to be well, at the least,
// for it to have been tried; a third of them are, or more.
const fewestWell = 10
