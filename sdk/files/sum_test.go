package files_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// Cursors contain the sums: a different sum for the same texts would emit every row again.
func TestSumsAreForGood(t *testing.T) {
	t.Parallel()
	for want, got := range map[int64]int64{
		0xa4756e62ee25: files.Sum(),
		0x4a8fb3b1a8eb: files.Sum("config", "file"), 0xe555f14e543b: files.Sum("configfile", ""), 0xd7da5958e171: files.Sum("é\x00"),
	} {
		if got != want {
			t.Errorf("got %#x, want %#x", got, want)
		}
	}
}
