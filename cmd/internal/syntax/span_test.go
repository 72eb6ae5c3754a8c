package syntax

import (
	"testing"
	"time"
)

// A span is a number of days, or a duration above nothing.
func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90d": 90 * 24 * time.Hour, "1d": 24 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute,
		"": 0, "d": 0, "-1d": 0, "-1h": 0, "0s": 0, "99999999999d": 0, "1.5d": 0, "90": 0,
	} {
		got, err := Span("--expires", text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
}
