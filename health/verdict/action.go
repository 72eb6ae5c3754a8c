package verdict

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// The words of a required action.
type (
	// Kind is the kind of work.
	Kind string
	// Audience is the party that can do it. An action that only the system performs
	// has none.
	Audience string
	// Urgency is the order of actions in time.
	Urgency string
	// Contract names the evidence that shows that an action was done.
	Contract string
)

// The kinds of action.
const (
	Reauth           Kind = "reauth"
	RefreshNow       Kind = "refresh_now"
	ReattachSchedule Kind = "reattach_schedule"
	AddInfo          Kind = "add_info"
	RetryGap         Kind = "retry_gap"
	Backfill         Kind = "backfill"
	Wait             Kind = "wait"
	CodeFix          Kind = "code_fix"
	ContactSupport   Kind = "contact_support"
)

// The audiences.
const (
	AudienceOwner      Audience = "owner"
	AudienceMaintainer Audience = "maintainer"
	AudienceNone       Audience = "none"
)

// The urgencies, the most urgent first.
const (
	Now       Urgency = "now"
	Overdue   Urgency = "overdue"
	Soon      Urgency = "soon"
	Verifying Urgency = "verifying"
)

// The satisfaction contracts. Satisfied evaluates all of them.
const (
	CredentialPresentAndUnrejected Contract = "credential_present_and_unrejected" //nolint:gosec // the name of a contract, not a credential
	ScheduleAttachedAndEnabled     Contract = "schedule_attached_and_enabled"
	AttentionResolved              Contract = "attention_resolved"
	ConfirmingRunSucceeded         Contract = "confirming_run_succeeded"
	GapRecovered                   Contract = "gap_recovered"
	BackfillWindowCovered          Contract = "backfill_window_covered"
	NoContract                     Contract = "none"
)

// SatisfiedWhen holds an action's one contract.
type SatisfiedWhen struct {
	Kind Contract `json:"kind"`
}

// Target is the object of an action.
type Target struct {
	Kind  string      `json:"kind"` // sync: a waiting run
	RunID health.Word `json:"run_id"`
}

// RequiredAction is one thing to do, or to wait for.
type RequiredAction struct {
	Kind          Kind          `json:"kind"`
	Audience      Audience      `json:"audience"`
	Urgency       Urgency       `json:"urgency"`
	Affects       []string      `json:"affects"` // stream ids; empty: the connection
	CTA           string        `json:"cta"`
	CTACode       Code          `json:"cta_code"`
	Reason        health.Word   `json:"reason"` // a stable code
	Terminal      bool          `json:"terminal"`
	SatisfiedWhen SatisfiedWhen `json:"satisfied_when"`
	Remediation   *Remediation  `json:"remediation,omitempty"`
	Target        *Target       `json:"target,omitempty"`
}

// OwnerSatisfiable reports whether the owner can do it and the system can detect that
// it was done.
func (a *RequiredAction) OwnerSatisfiable() bool {
	return a.Audience == AudienceOwner && a.SatisfiedWhen.Kind != NoContract && a.SatisfiedWhen.Kind != ""
}

// kinds holds the properties shared by all actions of a kind.
var kinds = map[Kind]struct {
	audience Audience
	urgency  Urgency
	contract Contract
	cta      line
}{
	Reauth:           {AudienceOwner, Now, CredentialPresentAndUnrejected, ctaReauth},
	AddInfo:          {AudienceOwner, Now, AttentionResolved, ctaAddInfo},
	ReattachSchedule: {AudienceOwner, Soon, ScheduleAttachedAndEnabled, ctaReattach},
	RefreshNow:       {AudienceOwner, Soon, ConfirmingRunSucceeded, ctaRefreshNow},
	RetryGap:         {AudienceOwner, Verifying, GapRecovered, ctaRetryGap},
	Backfill:         {AudienceOwner, Verifying, BackfillWindowCovered, ctaBackfill},
	Wait:             {AudienceNone, Verifying, NoContract, ctaWait},
	CodeFix:          {AudienceMaintainer, Soon, NoContract, forwardCodeFix},
	ContactSupport:   {AudienceMaintainer, Soon, NoContract, forwardHostFix},
}

// urgencies is the order of actions.
var urgencies = [...]Urgency{Now, Overdue, Soon, Verifying}

// SortActions sorts actions, the primary first. Actions of equal urgency keep their
// order.
func SortActions(actions []RequiredAction) {
	slices.SortStableFunc(actions, func(a, b RequiredAction) int { return a.Urgency.Rank() - b.Urgency.Rank() })
}

// Rank orders urgencies, the most urgent first. An unknown one is the last.
func (u Urgency) Rank() int {
	if i := slices.Index(urgencies[:], u); i >= 0 {
		return i
	}
	return len(urgencies)
}
