package words

import (
	"testing"
	"time"
)

func TestEvery(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Second:             "every second",
		45 * time.Second:        "every 45 seconds",
		time.Minute:             "every minute",
		90 * time.Second:        "every 90 seconds",
		90 * time.Minute:        "every 90 minutes",
		time.Hour:               "every hour",
		6 * time.Hour:           "every 6 hours",
		24 * time.Hour:          "every day",
		36 * time.Hour:          "every 36 hours",
		7 * 24 * time.Hour:      "every 7 days",
		1500 * time.Millisecond: "every 1.5s",
	} {
		if got := Every(d); got != want {
			t.Errorf("Every(%v): got %q, want %q", d, got, want)
		}
	}
}
