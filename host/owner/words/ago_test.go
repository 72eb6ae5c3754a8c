package words

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 2*time.Minute + time.Second: "2 minutes ago",
		time.Hour: "1 hour ago", 25 * time.Hour: "1 day ago", 49 * time.Hour: "2 days ago",
	} {
		if got := Ago(now.Add(-d), now); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
