package abi

// Remedy says what mends a gap. A gap has exactly one.
type Remedy string

// The remedies.
const (
	RemedyTime      Remedy = "time"      // a later run, and nothing else is needed
	RemedyOwner     Remedy = "owner"     // something that the owner does or decides
	RemedyConnector Remedy = "connector" // a new version of the connector
	RemedyNever     Remedy = "never"     // it is gone, forbidden, or was never to be had
)

// remedies is the one table of reasons and what mends them.
var remedies = map[Reason]Remedy{
	ReasonRateLimited: RemedyTime, ReasonUpstreamPressure: RemedyTime, ReasonRateLimitError: RemedyTime,
	ReasonRetryExhausted: RemedyTime, ReasonTemporaryUnavailable: RemedyTime,
	ReasonRequestCapReached: RemedyTime, ReasonWallClockDeadline: RemedyTime, ReasonRetryBudgetExhausted: RemedyTime, ReasonCircuitOpen: RemedyTime,
	ReasonRunCapFetches: RemedyTime, ReasonRunCapTime: RemedyTime, ReasonRunCapBacklog: RemedyTime, ReasonPolicyBudget: RemedyTime,
	ReasonRunTimedOut: RemedyTime, ReasonHostRestarted: RemedyTime, ReasonCollectorStopped: RemedyTime, ReasonFenced: RemedyTime,
	ReasonStdinClosed: RemedyTime, ReasonRuntimeError: RemedyTime, ReasonOwnerCancelled: RemedyTime, ReasonOwnerCancelForced: RemedyTime,
	ReasonConnectorReportedFailed: RemedyTime, ReasonConnectorReportedCancelled: RemedyTime,
	ReasonDetailCoverageIncomplete: RemedyTime, ReasonStreamCollectionFailed: RemedyTime,

	ReasonKeepsFailing: RemedyOwner, ReasonLimitExceeded: RemedyOwner, ReasonDeletionsWithheld: RemedyOwner, ReasonRunRefused: RemedyOwner,
	ReasonAuthenticationError: RemedyOwner, ReasonPermissionError: RemedyOwner, ReasonInteractionInvalid: RemedyOwner,

	ReasonGone: RemedyNever,

	ReasonProtocolViolation: RemedyConnector, ReasonExitWithoutDone: RemedyConnector, ReasonSchemaRejected: RemedyConnector,
}

// hintRemedies is what mends a gap for which a connector has its own word: its
// recovery_hint says it.
var hintRemedies = map[string]Remedy{
	"retry_by_runtime": RemedyTime, "upstream_unblock": RemedyTime,
	"refresh_credentials": RemedyOwner, "manual_action_required": RemedyOwner,
	"retry_on_connector_upgrade": RemedyConnector, "update_selector": RemedyConnector, "unknown": RemedyConnector,
	"not_retriable": RemedyNever,
}

// RemedyOf returns what mends a gap with that reason. The recovery action, one of
// RecoveryActions, says it of a reason that is a connector's own word, and of those that
// only say that something failed. A gap of which neither says anything needs the connector's
// author.
func RemedyOf(reason Reason, action string) Remedy {
	if hinted, ok := hintRemedies[action]; ok && action != "unknown" {
		return hinted
	}
	if of, ok := remedies[reason]; ok {
		return of
	}
	return RemedyConnector
}

// itemRefusals are the statuses with which a provider says of one item that it is gone, or not for
// whoever asks. The first time that may be a fault that passes.
var itemRefusals = [...]int{403, 404, 410, 451}

// RefusesItem reports whether a second answer with that status for the same item says that no run
// gets it: see ReasonGone.
func RefusesItem(status int) bool {
	for _, s := range itemRefusals {
		if s == status {
			return true
		}
	}
	return false
}

// GoesOn reports whether a later run goes on from where one with this reason stopped: that
// it stops there again does not say that nothing mends it.
func (r Reason) GoesOn() bool {
	return r.IsSourcePressure() || r.Has(BudgetExhaustion) || r.Has(RunCap) || r == ReasonPolicyBudget || r == ReasonRetryExhausted
}
