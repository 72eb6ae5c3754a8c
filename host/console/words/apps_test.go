package words_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// How often an app has read is counted in streams, and one is one.
func TestReadsOfDays(t *testing.T) {
	t.Parallel()
	for reads, want := range map[int64]string{0: "No stream reads in 90 days", 1: "1 stream read in 90 days", 3: "3 stream reads in 90 days"} {
		if got := words.ReadsOfDays(90, reads); got != want {
			t.Errorf("%d: got %q, want %q", reads, got, want)
		}
	}
}
