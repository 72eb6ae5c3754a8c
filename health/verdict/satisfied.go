package verdict

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// SatisfactionEvidence is the evidence that an action was done. A nil part was not
// gathered and satisfies nothing.
type SatisfactionEvidence struct {
	// Since is the time at which the action appeared. A confirming run has to start
	// after it.
	Since                 health.Instant      `json:"since,omitzero"`
	Credential            *CredentialEvidence `json:"credential"`
	LastRun               *LastRun            `json:"last_run"`
	Schedule              *health.Schedule    `json:"schedule"`
	Conditions            []health.Condition  `json:"conditions"`
	Outbox                health.OutboxState  `json:"outbox"`
	Streams               []StreamCoverage    `json:"streams"`
	DetailGapBacklog      *health.Backlog     `json:"detail_gap_backlog"`
	BackfillWindowCovered bool                `json:"backfill_window_covered"`
}

// CredentialEvidence is the state of the stored credential.
type CredentialEvidence struct {
	Present  bool        `json:"present"`
	Rejected bool        `json:"rejected"`
	Status   health.Word `json:"status"` // active, or unset
}

// LastRun is the latest run of the same connection that ended.
type LastRun struct {
	Status    health.RunStatus `json:"status"`
	StartedAt health.Instant   `json:"started_at"`
}

// StreamCoverage is one stream's coverage now.
type StreamCoverage struct {
	StreamID string              `json:"stream_id"`
	Coverage health.CoverageAxis `json:"coverage"`
}

// Satisfied reports whether the evidence shows that an action was done. An action
// without a contract is never satisfied, since no evidence is defined for it. A
// terminal action is treated like any other (HL-26).
func Satisfied(a RequiredAction, e SatisfactionEvidence) bool {
	switch a.SatisfiedWhen.Kind {
	case CredentialPresentAndUnrejected:
		c := e.Credential
		return c != nil && c.Present && !c.Rejected && (c.Status == "" || c.Status == "active")
	case ConfirmingRunSucceeded:
		return e.confirmed()
	case ScheduleAttachedAndEnabled:
		return e.Schedule != nil && e.Schedule.Enabled
	case AttentionResolved:
		if a.Remediation != nil {
			return e.Outbox == health.OutboxIdle || e.Outbox == health.OutboxActive
		}
		return e.conditionHolds(health.AttentionClear)
	case GapRecovered:
		if len(a.Affects) > 0 {
			return e.complete(a.Affects)
		}
		return e.drained() && (len(e.Conditions) == 0 || e.conditionHolds(health.SourceCoverageComplete))
	case BackfillWindowCovered:
		return e.BackfillWindowCovered || len(a.Affects) > 0 && e.complete(a.Affects)
	}
	return false
}

// confirmed reports whether a run that began after the action appeared succeeded: an
// earlier run is no evidence about the owner's step.
func (e *SatisfactionEvidence) confirmed() bool {
	r := e.LastRun
	return r != nil && r.Status == health.RunSucceeded && (e.Since.IsZero() || r.StartedAt.After(e.Since.Time))
}

// drained reports whether no detail gap is left, for any reason. A gap without a
// stream is not a detail gap; the conditions report it if they were gathered.
func (e *SatisfactionEvidence) drained() bool {
	b := e.DetailGapBacklog
	return b != nil && b.Pending == 0 && b.PendingOther == 0 && !b.PendingIsFloor && !b.PendingOtherIsFloor
}

// conditionHolds reports whether a condition of the type exists and is true.
func (e *SatisfactionEvidence) conditionHolds(typ health.Type) bool {
	return slices.ContainsFunc(e.Conditions, func(c health.Condition) bool { return c.Type == typ && c.Status == health.True })
}

// complete reports whether every one of the streams is known to be complete.
func (e *SatisfactionEvidence) complete(ids []string) bool {
	for _, id := range ids {
		if !slices.Contains(e.Streams, StreamCoverage{id, health.CoverageComplete}) {
			return false
		}
	}
	return true
}
