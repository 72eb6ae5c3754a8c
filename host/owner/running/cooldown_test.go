package running

import (
	"testing"
	"time"
)

// A time of day is enough today alone; else it has its date. Its zone it always has.
func TestClockOf(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("HST", -10*3600)
	now := time.Date(2026, 1, 2, 23, 50, 0, 0, zone)
	for want, after := range map[string]time.Duration{
		"23:55:00 HST": 5 * time.Minute, "2026-01-03 00:10:00 HST": 20 * time.Minute, "2027-01-02 23:50:00 HST": 365 * 24 * time.Hour,
	} {
		if got := clockOf(now.Add(after).UTC(), now.UTC(), zone); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
