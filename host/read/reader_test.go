package read

import (
	"testing"
	"time"
)

// The times that are promised: a page within 20 s (RD-07), a count within 2 s (RD-19), and 5 s for
// an index that is behind (RD-16.6).
func TestTimesOfReads(t *testing.T) {
	t.Parallel()
	if atMost != 20*time.Second || toCount != 2*time.Second || Wait != 5*time.Second {
		t.Errorf("got %s, %s and %s, want 20s, 2s and 5s", atMost, toCount, Wait)
	}
}
