package owner

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// AC-03, AC-10: an empty folder, and files that were not understood, are the owner's to mend, and
// not mended by nothing or by a new version alone.
func TestWhatAnOwnerMends(t *testing.T) {
	t.Parallel()
	severities := map[string]string{"not_retriable": informational, "manual_action_required": "actionable"}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for reason, c := range map[string]struct {
		hint, says, begins string
		remedy             abi.Remedy
	}{
		"nothing_found":        {"not_retriable", "", "you: put there what it is to collect", abi.RemedyOwner},
		"input_not_understood": {"manual_action_required", "", "you: say what to do with them", abi.RemedyOwner},
		"deletions_withheld":   {"manual_action_required", "", "you: if they are gone, run it once with --full-refresh --accept-deletions", abi.RemedyOwner},
		"too_large":            {"not_retriable", "", "nothing that this host does", abi.RemedyNever},
		"calendar_copied":      {"not_retriable", "1 file is a copy: take one of the two out of the folder", "what its words say", abi.RemedyNever},
	} {
		m := leftMissing(&run.KnownGap{Kind: "skip", Severity: severities[c.hint], Reason: reason, RecoveryHint: c.hint, Message: c.says}, &stored.Facts{})
		if m.Files != m.NotUnderstood() || m.Noted != (c.remedy == abi.RemedyNever) {
			t.Errorf("%s: got files %v and noted %v, want %v and %v", reason, m.Files, m.Noted, m.NotUnderstood(), c.remedy == abi.RemedyNever)
		}
		if got := m.Mends(now); !strings.HasPrefix(got, c.begins) || m.Remedy != c.remedy {
			t.Errorf("%s: got %q by %s, want %q by %s", reason, got, m.Remedy, c.begins, c.remedy)
		}
	}
	of := &stored.Facts{Unread: &stored.UnreadFiles{Amiss: []stored.AmissFiles{{About: health.Mark("old"), With: []string{health.Mark("torn")}, Count: 1}}}}
	if m := leftMissing(&run.KnownGap{Kind: "skip", Reason: "torn"}, of); !m.Files {
		t.Error("got no files, want those that are torn")
	}
	of.Unread.Settled = []string{health.Mark("old")}
	m := leftMissing(&run.KnownGap{Kind: "skip", Severity: "actionable", Reason: "old", RecoveryHint: "manual_action_required"}, of)
	if got := m.Mends(now); !m.Noted || got != "nothing: you said that its files may stay as they are" {
		t.Errorf("files that may stay as they are: got noted %v, and %q", m.Noted, got)
	}
}
