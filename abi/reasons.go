package abi

// Reason is a word of the shared vocabulary for why something stopped, was deferred or
// is missing. The sets below are disjoint where the spec says so (RT-17, RT-24,
// PB-D9); a test proves it.
type Reason string

// Run outcome reasons (runtime contract, section 9).
const (
	ReasonConnectorReportedFailed    Reason = "connector_reported_failed"
	ReasonConnectorReportedCancelled Reason = "connector_reported_cancelled"
	ReasonOwnerCancelled             Reason = "owner_cancelled"
	ReasonOwnerCancelForced          Reason = "owner_cancel_forced"
	ReasonProtocolViolation          Reason = "connector_protocol_violation"
	ReasonExitWithoutDone            Reason = "connector_exit_without_done"
	ReasonStdinClosed                Reason = "connector_stdin_closed" // the worker's pipe closed under the host
	ReasonInteractionInvalid         Reason = "interaction_handler_invalid_response"
	ReasonRunTimedOut                Reason = "run_timed_out"
	ReasonLimitExceeded              Reason = "resource_limit_exceeded" // memory, log or output
	ReasonRuntimeError               Reason = "runtime_error"
	ReasonHostRestarted              Reason = "host_restarted"    // run.abandoned
	ReasonCollectorStopped           Reason = "collector_stopped" // run.abandoned, of a run on a device
	ReasonFenced                     Reason = "lease_lost"
	ReasonAuthenticationError        Reason = "authentication_error"
	ReasonPermissionError            Reason = "permission_error"
	ReasonRateLimitError             Reason = "rate_limit_error"
)

// DETAIL_GAP wire reasons.
const (
	ReasonRateLimited          Reason = "rate_limited"
	ReasonUpstreamPressure     Reason = "upstream_pressure"
	ReasonRetryExhausted       Reason = "retry_exhausted"
	ReasonTemporaryUnavailable Reason = "temporary_unavailable"
)

// Defer reasons of the provider-budget controller (RT-24).
const (
	ReasonRequestCapReached    Reason = "request_cap_reached"
	ReasonWallClockDeadline    Reason = "wall_clock_deadline"
	ReasonRetryBudgetExhausted Reason = "retry_budget_exhausted"
	ReasonCircuitOpen          Reason = "circuit_open"
)

// Error classes of an owner-configured run cap (RT-17).
const (
	ReasonRunCapFetches Reason = "run_cap_fetches"
	ReasonRunCapTime    Reason = "run_cap_time"
	ReasonRunCapBacklog Reason = "run_cap_backlog"
)

// ReasonKeepsFailing is the class of a detail that several runs requested and never
// received, though others arrived. It is retried at growing intervals.
const ReasonKeepsFailing Reason = "detail_keeps_failing"

// ReasonGone is the class of a detail that two runs in a row asked for and that its provider
// refused each time with one of the statuses of RefusesItem: it is gone, or forbidden to whoever
// asks. No run asks for it again by itself.
const ReasonGone Reason = "gone_or_forbidden"

// Known-gap reasons that the runtime itself writes.
const (
	ReasonDetailCoverageIncomplete Reason = "detail_coverage_incomplete"
	ReasonStreamCollectionFailed   Reason = "stream_collection_failed"
	ReasonSchemaRejected           Reason = "shape_check_failed"
	ReasonDeletionsWithheld        Reason = "deletions_withheld" // an enumeration swept nothing
)

// ReasonPolicyBudget is a planned stop at a local collector's own bound: the remaining
// units of work wait for the next run (LC-02.1). It is not source pressure, and no
// provider is involved.
const ReasonPolicyBudget Reason = "policy_budget"

// ReasonRunRefused marks a run that its device refused before it began: a folder or
// its module is missing, or is not the accepted one. The error's code says which. A
// run that a host refuses leaves no run at all.
const ReasonRunRefused Reason = "run_refused"

// PartMissing is the reason of a SKIP_RESULT about a part of an export that is not in the folder. The parts that are there are
// accounted for with it, so that their owner can say that they may stay as they are, though nothing is wrong with them.
const PartMissing = "export_part_missing"

// SourcePressure holds the only reasons that arm the cross-run cooldown.
var SourcePressure = []Reason{ReasonUpstreamPressure, ReasonRateLimited}

// BudgetExhaustion is a planned stop, never source pressure (RT-24, PB-D9).
var BudgetExhaustion = []Reason{
	ReasonRequestCapReached, ReasonWallClockDeadline, ReasonRetryBudgetExhausted, ReasonCircuitOpen,
}

// RunCap is an owner's own bound, never source pressure (RT-17).
var RunCap = []Reason{ReasonRunCapFetches, ReasonRunCapTime, ReasonRunCapBacklog}

// GapReasons are the allowed reasons of a DETAIL_GAP.
var GapReasons = []Reason{
	ReasonRateLimited, ReasonRetryExhausted, ReasonTemporaryUnavailable, ReasonUpstreamPressure,
}

// GenericReasons is the whole vocabulary above: the codes for which the host has the
// wording for an owner. The host ignores a manifest's own wording for them.
var GenericReasons = []Reason{
	ReasonConnectorReportedFailed, ReasonConnectorReportedCancelled, ReasonOwnerCancelled, ReasonOwnerCancelForced,
	ReasonProtocolViolation, ReasonExitWithoutDone, ReasonStdinClosed, ReasonInteractionInvalid, ReasonRunTimedOut,
	ReasonLimitExceeded, ReasonRuntimeError, ReasonHostRestarted, ReasonCollectorStopped, ReasonFenced, ReasonAuthenticationError,
	ReasonPermissionError, ReasonRateLimitError,
	ReasonRateLimited, ReasonUpstreamPressure, ReasonRetryExhausted, ReasonTemporaryUnavailable,
	ReasonRequestCapReached, ReasonWallClockDeadline, ReasonRetryBudgetExhausted, ReasonCircuitOpen,
	ReasonRunCapFetches, ReasonRunCapTime, ReasonRunCapBacklog,
	ReasonDetailCoverageIncomplete, ReasonStreamCollectionFailed, ReasonSchemaRejected, ReasonDeletionsWithheld, ReasonPolicyBudget, ReasonRunRefused,
	ReasonKeepsFailing, ReasonGone,
}

// RecoveryActions are the allowed actions of a recovery_hint.
var RecoveryActions = []string{
	"retry_by_runtime", "retry_on_connector_upgrade", "refresh_credentials", "manual_action_required",
	"update_selector", "upstream_unblock", "not_retriable", "unknown",
}

// Has reports whether r is in set.
func (r Reason) Has(set []Reason) bool {
	for _, s := range set {
		if s == r {
			return true
		}
	}
	return false
}

// IsSourcePressure reports whether r arms the cross-run cooldown.
func (r Reason) IsSourcePressure() bool { return r.Has(SourcePressure) }
