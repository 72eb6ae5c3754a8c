package verdict

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// The words of a required action.
type (
	// Kind is what is to be done.
	Kind string
	// Audience is who can do it. What only the system does has none.
	Audience string
	// Urgency is how soon.
	Urgency string
	// Contract names the evidence that tells that it was done.
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

// The satisfaction contracts. There is one mechanism for all of them: Satisfied.
const (
	CredentialPresentAndUnrejected Contract = "credential_present_and_unrejected" //nolint:gosec // the name of a contract, no credential
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

// Target is what an action is done to.
type Target struct {
	Kind  string      `json:"kind"` // sync: a run that waits
	RunID health.Word `json:"run_id"`
}

// RequiredAction is one thing to be done, or to wait for.
type RequiredAction struct {
	Kind          Kind          `json:"kind"`
	Audience      Audience      `json:"audience"`
	Urgency       Urgency       `json:"urgency"`
	Affects       []string      `json:"affects"` // stream ids; empty: the connection
	CTA           string        `json:"cta"`
	CTACode       Code          `json:"cta_code"`
	Reason        health.Word   `json:"reason"` // why, as a stable code
	Terminal      bool          `json:"terminal"`
	SatisfiedWhen SatisfiedWhen `json:"satisfied_when"`
	Remediation   *Remediation  `json:"remediation,omitempty"`
	Target        *Target       `json:"target,omitempty"`
}

// OwnerSatisfiable reports whether the owner can do it, and it can be told that
// they did.
func (a *RequiredAction) OwnerSatisfiable() bool {
	return a.Audience == AudienceOwner && a.SatisfiedWhen.Kind != NoContract && a.SatisfiedWhen.Kind != ""
}

// kinds is what every action of a kind has in common.
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

// SortActions puts actions into their order, the primary first. Actions of equal
// urgency keep theirs.
func SortActions(actions []RequiredAction) {
	slices.SortStableFunc(actions, func(a, b RequiredAction) int { return a.Urgency.rank() - b.Urgency.rank() })
}

func (u Urgency) rank() int {
	if i := slices.Index(urgencies[:], u); i >= 0 {
		return i
	}
	return len(urgencies)
}
