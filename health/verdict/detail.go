package verdict

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Detail answers "what exactly is happening?". It holds everything that the rest of
// the verdict leaves out (HL-27.2). Only the owner sees it.
type Detail struct {
	State               health.State         `json:"state"`
	ReasonCode          health.Word          `json:"reason_code"`
	DominantConditionID health.Word          `json:"dominant_condition_id"`
	ForwardDisposition  health.Disposition   `json:"forward_disposition"`
	Axes                health.Axes          `json:"axes"`
	Badges              health.Badges        `json:"badges"`
	RuntimeOK           bool                 `json:"runtime_ok"`
	Conditions          []health.Condition   `json:"conditions"` // the snapshot's own, not a copy
	DetailGapBacklog    *health.Backlog      `json:"detail_gap_backlog"`
	OutboxCounts        *health.OutboxCounts `json:"outbox_counts"`
	NextAttemptAt       health.Instant       `json:"next_attempt_at"`
	CollectionRate      abi.Raw              `json:"collection_rate,omitempty"`
	Suppressed          []Suppressed         `json:"suppressed"`
	// Said is what the provider said when it refused the last run as a whole (AC-11). The owner's
	// operation adds it, since words are kept with the run and not with the facts.
	Said *Said `json:"said,omitempty"`
	// Violations are the reasons why the verdict was withheld: see Violation. A
	// surface that shows the verdict logs them.
	Violations []Violation `json:"violations,omitempty"`
}

// Said are a provider's own words: one line, without what could be a secret.
type Said struct {
	Text  string `json:"text"`
	RunID string `json:"run_id"`
}

// Suppressed names a signal that the system handles itself, and the place in the
// detail that holds it.
type Suppressed struct {
	Kind        string `json:"kind"`         // drain cooldown syncing runtime_fault
	DetailField string `json:"detail_field"` // the field's name on the wire
}

// detail collects the contents of the snapshot and lists the suppressed signals.
func detail(in *Input, d health.Disposition, actions []RequiredAction) *Detail {
	s := &in.Snapshot
	out := &Detail{
		State: s.State, ReasonCode: s.ReasonCode, DominantConditionID: s.DominantConditionID, ForwardDisposition: d, Axes: s.Axes,
		Badges: s.Badges, RuntimeOK: in.RuntimeOK, Conditions: s.Conditions, DetailGapBacklog: s.DetailGapBacklog,
		OutboxCounts: s.OutboxCounts, NextAttemptAt: s.NextAttemptAt, CollectionRate: s.CollectionRate, Suppressed: make([]Suppressed, 0, 2), // for a source that asked for fewer requests: its work and its wait
	}
	quiet := func(kind, field string) { out.Suppressed = append(out.Suppressed, Suppressed{kind, field}) }
	for i := range actions {
		if a := &actions[i]; a.Kind == Wait && (d == health.DispositionResumable || len(a.Affects) > 0) {
			quiet("drain", "detail_gap_backlog")
		}
	}
	if s.State == health.StateCoolingOff || !s.NextAttemptAt.IsZero() {
		quiet("cooldown", "next_attempt_at")
	}
	if s.Badges.Syncing {
		quiet("syncing", "badges")
	}
	if !in.RuntimeOK {
		quiet("runtime_fault", "runtime_ok")
	}
	return out
}
