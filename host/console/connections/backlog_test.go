package connections

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// HL-20.1, HL-20.2: a connection's page says how much is left to catch up with in the words of
// its cue, and without one it has no such line.
func TestThePageSaysWhatIsLeftToCatchUp(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, cue := range []*view.BacklogCue{{Pending: 7, Text: "7 details are left to catch up with"}, nil} {
		c := &shown{Connection: &owner.Connection{Name: "notes"}, health: &owner.Health{}, cue: cue, days: ui.DaysOf(nil, now, 90), now: now}
		var b bytes.Buffer
		if err := part(c).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Contains(b.String(), "7 details are left to catch up with"), cue != nil; got != want {
			t.Errorf("with the cue %+v: got its words %t, want %t, in %s", cue, got, want, b.String())
		}
	}
}
