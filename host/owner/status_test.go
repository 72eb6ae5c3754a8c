package owner

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// AC-03, AC-10: an empty folder, and files that were not understood, are the owner's to mend, and
// not mended by nothing or by a new version alone.
func TestWhatAnOwnerMends(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for reason, c := range map[string]struct {
		hint, begins string
		remedy       abi.Remedy
	}{
		"nothing_found":        {"not_retriable", "you: put there what it is to collect", abi.RemedyOwner},
		"input_not_understood": {"manual_action_required", "you: say what to do with them", abi.RemedyOwner},
		"too_large":            {"not_retriable", "nothing that this host does", abi.RemedyNever},
	} {
		m := leftMissing(&run.KnownGap{Kind: "skip", Reason: reason, RecoveryHint: c.hint}, nil)
		if got := m.Mends(now); !strings.HasPrefix(got, c.begins) || m.Remedy != c.remedy {
			t.Errorf("%s: got %q by %s, want %q by %s", reason, got, m.Remedy, c.begins, c.remedy)
		}
	}
}
