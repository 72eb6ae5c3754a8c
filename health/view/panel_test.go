package view_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// HL-08.1: the words of the panel are those of the condition that asks for it, which
// differ by what is wrong.
func TestPanelSpeaksForItsCondition(t *testing.T) {
	t.Parallel()
	const rerun = "Re-run the collector on the host that holds the data"
	for cause, label := range map[health.StalledCause]string{
		"":                            "Check the collector on the host that holds the data",
		health.CauseStateReadFailed:   rerun,
		health.CauseStalePending:      rerun,
		health.CauseDeadLetterBacklog: "Retry what did not upload, on the host that holds the data",
	} {
		v := outbox(health.OutboxStalled, cause, nil)
		message := ""
		for _, c := range v.Detail.Conditions {
			if c.Type == health.LocalExporterAvailable {
				message = c.Message
			}
		}
		if p := view.RemediationPanelOf(&v); p == nil || p.Label != label || p.Message != message || message == "" {
			t.Errorf("%q: %+v, want %q and %q", cause, p, label, message)
		}
		v.Detail.Conditions = nil
		if p := view.RemediationPanelOf(&v); p == nil || p.Label == "" || p.Command == "" {
			t.Errorf(`%q, and no condition says it: %+v, want p != nil && p.Label != "" && p.Command != ""`, cause, p)
		}
	}
}

// HL-08.3, HL-12.2: of an outbox that has not stalled, only a condition that is current
// and not met and asks to clear a backlog makes a panel.
func TestPanelNeedsACurrentBacklog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		action  string
		status  health.Status
		current bool
		shown   bool
	}{
		"a backlog to clear":          {"clear_backlog", health.False, true, true},
		"one that is cleared":         {"clear_backlog", health.True, true, false},
		"one that nobody knows of":    {"clear_backlog", health.Unknown, true, false},
		"one that was, and has ended": {"clear_backlog", health.False, false, false},
		"a runtime to look at":        {"check_runtime", health.False, true, false},
		"something to wait for":       {"wait", health.False, true, false},
		"nothing to be done":          {"", health.False, true, false},
	} {
		condition := health.Condition{Type: health.BacklogClear, Status: c.status, Severity: health.Error, Sensitivity: health.OwnerOnly, Current: c.current}
		if c.action != "" {
			condition.Remediation = &health.Remediation{Action: c.action, Label: "Do it"}
		}
		for _, state := range []health.OutboxState{health.OutboxIdle, health.OutboxActive, health.OutboxUnknown} {
			v := verdict.RenderedVerdict{Detail: &verdict.Detail{
				Axes: health.Axes{Outbox: state}, Conditions: []health.Condition{condition}, OutboxCounts: &health.OutboxCounts{Pending: new(int64(7))},
			}}
			if p := view.RemediationPanelOf(&v); (p != nil) != c.shown {
				t.Errorf("(p != nil): got %s, %s: %+v, want %v", name, state, p, c.shown)
			}
		}
	}
}

// HL-23.9: each command has a plain description of its purpose, longer than its name.
func TestRecoverySaysWhatCommandsAreFor(t *testing.T) {
	t.Parallel()
	for cause, purposes := range map[health.StalledCause][]string{
		"":                            {"Shows the state of the collector on the host that holds the data, and changes nothing."},
		health.CauseStalePending:      {"Runs the collector once on the host that holds the data, so that it reads its state and sends what is saved."},
		health.CauseDeadLetterBacklog: {"Shows what did not upload and what would be done, and changes nothing.", "Queues the failed uploads again, if there are any, and runs the collector once."},
	} {
		v := outbox(health.OutboxStalled, cause, nil)
		p := view.RecoveryPanelOf(&v, []view.Binding{{SourceInstanceID: "src_1"}})
		if len(p.Commands) != len(purposes) {
			t.Fatalf("%q: len(p.Commands): got %+v, want %v", cause, p.Commands, len(purposes))
		}
		for i, c := range p.Commands {
			if c.Purpose != purposes[i] || c.Label != v.RequiredActions[0].Remediation.Commands[i].Label || c.Label == c.Purpose {
				t.Errorf("%q: %+v, want %q", cause, c, purposes[i])
			}
		}
	}
}

// HL-31.1: uploads are reported with the known facts: an unnamed host by a
// description, an unknown time not at all.
func TestBackgroundDrainTellsWhatIsKnown(t *testing.T) {
	t.Parallel()
	v := outbox(health.OutboxActive, "", nil)
	for _, c := range []struct {
		of         view.DeviceProgress
		host, text string
	}{
		{view.DeviceProgress{RecordsPending: 1}, "the host that holds the data", "Saved work is uploading from the host that holds the data: 1 to go."},
		{view.DeviceProgress{RecordsPending: 2, Host: "desk-1"}, "desk-1", "Saved work is uploading from desk-1: 2 to go."},
		{
			view.DeviceProgress{RecordsPending: 3, LastProgressAt: now}, "the host that holds the data",
			"Saved work is uploading from the host that holds the data: 3 to go. Last progress 2026-05-20T06:00:00Z.",
		},
	} {
		d := view.BackgroundDrainOf(&v, &c.of)
		if d == nil || d.Host != c.host || d.Text != c.text || d.Pending != c.of.RecordsPending || d.LastProgressAt != c.of.LastProgressAt {
			t.Errorf("got %+v: %+v, want d != nil && d.Host == c.host && d.Text == c.text && d.Pending == c.of.RecordsPending && d.LastProgressAt == c.of.LastProgressAt", c.of, d)
		}
	}
}
