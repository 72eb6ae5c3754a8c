package show

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A refusal is told in its own words, once for all the times that it was one.
func TestRefusal(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 1, 1, 2, 3, 4, 0, time.UTC)
	at := first.Add(25*time.Hour + time.Minute + time.Second)
	for want, r := range map[string]owner.Refusal{
		"2026-01-02 03:04:05Z  no folder   [files.root_missing]":                     {Since: first, At: at, Code: "files.root_missing", Message: "no folder", Times: 1},
		"2026-01-02 03:04:05Z  [plugin.changed], 3 times since 2026-01-01 02:03:04Z": {Since: first, At: at, Code: "plugin.changed", Times: 3},
	} {
		if got := Refusal(&r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
