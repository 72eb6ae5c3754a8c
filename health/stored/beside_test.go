package stored_test

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// HL-05.1, AC-04, AC-05: what a connector gets wrong in a stream whose records come in is no
// reason to say that it can't collect, and no later run mends it.
func TestAConnectorsFaultBesideRecordsIsNotRed(t *testing.T) {
	t.Parallel()
	fault := func(kind health.Word, stream string) health.KnownGap {
		return health.KnownGap{Kind: kind, Stream: stream, Severity: "actionable", RecoveryAction: "retry_on_connector_upgrade"}
	}
	with := func(s *stored.Facts, change func(*stored.Facts)) *stored.Facts {
		change(s)
		return s
	}
	retry := health.KnownGap{Kind: "skip_result", Stream: "c", RecoveryAction: "retry_by_runtime", Severity: "transient"}
	for name, c := range map[string]struct {
		s    *stored.Facts
		tone verdict.Tone
		kind verdict.Kind
		says verdict.Code
		row  verdict.Code
	}{
		"merged":      {gapped(fault("merged_items", "a")), verdict.Amber, verdict.CodeFix, "connector_flaw", "flawed"},
		"differ":      {gapped(fault("accounts_differ", "a")), verdict.Amber, verdict.CodeFix, "connector_flaw", "flawed"},
		"a field":     {gapped(fault("field_disappeared", "a")), verdict.Amber, verdict.CodeFix, "connector_flaw", "flawed"},
		"kept back":   {gapped(fault("kept_back", "a")), verdict.Amber, verdict.CodeFix, "connector_flaw", "flawed"},
		"of a device": {onDevice(gapped(fault("rejected_earlier", "a"))), verdict.Amber, verdict.CodeFix, "connector_flaw", "flawed"},
		"rejected": {with(gapped(), func(s *stored.Facts) {
			s.RejectedRecords = []stored.RejectedRecords{{Stream: "a", Listed: 1}}
		}), verdict.Amber, verdict.CodeFix, "connector_flaw", "flawed"},
		"optional": {gapped(fault("merged_items", "b")), verdict.Amber, verdict.CodeFix, "connector_flaw", "collected"},
		// The stream itself does not come in.
		"a page has changed": {gapped(fault("skip_result", "a")), verdict.Red, verdict.CodeFix, "code_fix", "terminal"},
		"never collected": {with(gapped(fault("merged_items", "a")), func(s *stored.Facts) {
			delete(s.CollectedUS, "a")
		}), verdict.Red, verdict.CodeFix, "code_fix", "terminal"},
		"no record is kept": {with(gapped(fault("merged_items", "a")), func(s *stored.Facts) {
			s.Retained = new(int64)
		}), verdict.Red, verdict.CodeFix, "code_fix", "terminal"},
		// Something else comes first.
		"a run fetches more": {gapped(fault("merged_items", "a"), retry), verdict.Amber, verdict.Wait, "resumable", "flawed"},
		"a run failed": {with(gapped(fault("merged_items", "a")), func(s *stored.Facts) {
			s.Settled = &stored.Run{ID: "f", Status: "failed", Reason: "demo_http_500", StartedUS: s.Settled.StartedUS, EndedUS: s.Settled.EndedUS, Missed: []string{"a", "b", "c"}}
			s.Latest, s.Failed = s.Settled, []string{"a", "b", "c"}
		}), verdict.Amber, verdict.Wait, "resumable", "not_in_full"},
		"an older failure": {with(gapped(fault("merged_items", "a")), func(s *stored.Facts) {
			s.Failed = []string{"c"}
		}), verdict.Amber, verdict.Wait, "resumable", "flawed"},
		"a detail is missing": {with(gapped(fault("merged_items", "a")), func(s *stored.Facts) {
			s.Gaps.Streams = []stored.StreamGaps{{Stream: "c", Other: 1}}
		}), verdict.Amber, verdict.Wait, "resumable", "flawed"},
		"the owner is asked": {gapped(fault("merged_items", "a"), unreadable("c")), verdict.Amber, verdict.AddInfo, "put_right_gap", "awaiting_owner"},
	} {
		v := verdict.OfStored(c.s, gappedNow, true)
		if v.Pill.Tone != c.tone || len(v.RequiredActions) == 0 || v.RequiredActions[0].Kind != c.kind || v.ForwardCode != c.says || v.Streams[0].Code != c.row {
			t.Errorf("%s: got %s, %+v, %s, row %s; want %s, %s, %s, row %s", name, v.Pill.Tone, v.RequiredActions, v.ForwardCode, v.Streams[0].Code, c.tone, c.kind, c.says, c.row)
		}
		if at := slices.IndexFunc(v.RequiredActions, func(a verdict.RequiredAction) bool { return a.CTACode == "cta_connector_flaw" }); at >= 0 != (c.row == "flawed" || c.row == "collected") || at >= 0 && slices.Contains(v.RequiredActions[at].Affects, "c") {
			t.Errorf("%s: got %+v, want the fault of a's alone told: %v", name, v.RequiredActions, c.row == "flawed")
		}
		if len(v.Detail.Violations) > 0 {
			t.Errorf("%s: violations: got %v, want no violation", name, v.Detail.Violations)
		}
	}
}
