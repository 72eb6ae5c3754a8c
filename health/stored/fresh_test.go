package stored_test

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// RD-30.1: a stream is current after a run that collected all of it within the window; a later
// failure makes it stale, and without a run or a window nobody knows.
func TestFreshnessOfAStream(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(hours int) int64 { return now.Add(-time.Duration(hours) * time.Hour).UnixMicro() }
	day := &stored.Manifest{MaximumStalenessS: 24 * 60 * 60, Streams: []health.ManifestStream{{Name: "notes"}}}
	at := func(hours int) map[string]int64 { return map[string]int64{"notes": ago(hours), "other": ago(1)} }
	run := func(hours int, status health.Word) *stored.Run {
		return &stored.Run{Status: status, StartedUS: ago(hours + 1), EndedUS: ago(hours)}
	}
	for name, c := range map[string]struct {
		facts             stored.Facts
		status            string
		captured, attempt int64
	}{
		"within its window":           {stored.Facts{Manifest: day, CollectedUS: at(2), Settled: run(2, "succeeded"), Latest: run(2, "succeeded")}, stored.Current, ago(2), ago(3)},
		"older than its window":       {stored.Facts{Manifest: day, CollectedUS: at(25), Settled: run(25, "succeeded"), Latest: run(25, "succeeded")}, stored.Stale, ago(25), ago(26)},
		"another run has left it out": {stored.Facts{Manifest: day, CollectedUS: at(25), Settled: run(1, "succeeded"), Latest: run(1, "succeeded")}, stored.Stale, ago(25), ago(2)},
		"a run failed since":          {stored.Facts{Manifest: day, CollectedUS: at(2), Failed: []string{"notes"}, Settled: run(1, "failed"), Latest: run(1, "failed")}, stored.Stale, ago(2), ago(2)},
		"it failed for another":       {stored.Facts{Manifest: day, CollectedUS: at(2), Failed: []string{"other"}, Settled: run(1, "failed"), Latest: run(1, "failed")}, stored.Current, ago(2), ago(2)},
		"it never succeeded":          {stored.Facts{Manifest: day, Failed: []string{"notes"}, Settled: run(1, "failed"), Latest: run(1, "failed")}, stored.Unknown, 0, ago(2)},
		"without a window":            {stored.Facts{Manifest: &stored.Manifest{}, CollectedUS: at(2), Settled: run(2, "succeeded"), Latest: run(2, "succeeded")}, stored.Unknown, ago(2), ago(3)},
		"a device is heard":           {stored.Facts{Manifest: day, Device: &stored.Device{Sources: []stored.Source{{ID: "a", HeardUS: ago(1), Status: "healthy", Pending: new(int64(0))}}}}, stored.Unknown, 0, 0},
		"without a run":               {stored.Facts{Manifest: day}, stored.Unknown, 0, 0},
	} {
		got := c.facts.FreshnessOf("notes", stored.Moment{Now: health.At(now)})
		us := func(at health.Instant) int64 {
			if at.IsZero() {
				return 0
			}
			return at.UnixMicro()
		}
		if got.Status != c.status || us(got.CapturedAt) != c.captured || us(got.AttemptedAt) != c.attempt {
			t.Errorf("%s: got %+v, want %s, captured %d, attempted %d", name, got, c.status, c.captured, c.attempt)
		}
	}
}
