package health

import "slices"

// The axes of a connection. An input word that does not belong to its axis is read as
// unknown.
type (
	// CoverageAxis is how complete the collected data is.
	CoverageAxis string
	// FreshnessAxis is whether the data is younger than its window.
	FreshnessAxis string
	// OutboxState is the activity of a device's outbox.
	OutboxState string
	// AttentionAxis is the state of an open request to the owner.
	AttentionAxis string
	// SurfaceAxis is the state of a managed browser surface.
	SurfaceAxis string
	// StalledCause is the reason why a device's outbox stalled.
	StalledCause string
)

// Coverage, as far as evidence shows.
const (
	CoverageComplete      CoverageAxis = "complete"
	CoveragePartial       CoverageAxis = "partial"
	CoverageRetryableGap  CoverageAxis = "retryable_gap"
	CoverageTerminalGap   CoverageAxis = "terminal_gap"
	CoverageGaps          CoverageAxis = "gaps"
	CoverageUnsupported   CoverageAxis = "unsupported"
	CoverageUnavailable   CoverageAxis = "unavailable"
	CoverageDeferred      CoverageAxis = "deferred"
	CoverageInventoryOnly CoverageAxis = "inventory_only"
	CoverageUnknown       CoverageAxis = "unknown"
)

// Freshness, compared with the connector's own window.
const (
	FreshnessFresh   FreshnessAxis = "fresh"
	FreshnessStale   FreshnessAxis = "stale"
	FreshnessUnknown FreshnessAxis = "unknown"
)

// Outbox states. The axis is never widened (HL-16).
const (
	OutboxIdle    OutboxState = "idle"
	OutboxActive  OutboxState = "active"
	OutboxStalled OutboxState = "stalled"
	OutboxUnknown OutboxState = "unknown"
)

// Attention: the lifecycle of the open request, or none.
const (
	AttentionNone         AttentionAxis = "none"
	AttentionOpen         AttentionAxis = "open"
	AttentionAcknowledged AttentionAxis = "acknowledged"
	AttentionInProgress   AttentionAxis = "in_progress"
)

// Managed browser surface.
const (
	SurfaceNone    SurfaceAxis = "none"
	SurfaceIdle    SurfaceAxis = "idle"
	SurfaceWaiting SurfaceAxis = "waiting"
	SurfaceLeased  SurfaceAxis = "leased"
	SurfaceFailed  SurfaceAxis = "failed"
	SurfaceUnknown SurfaceAxis = "unknown"
)

// Causes of a stall, the most actionable first (HL-16).
const (
	CauseDeadLetterBacklog StalledCause = "dead_letter_backlog"
	CauseStateReadFailed   StalledCause = "state_read_failed"
	CauseStalePending      StalledCause = "stale_pending"
)

// stalledCauses lists the causes in order of precedence.
var stalledCauses = []StalledCause{CauseDeadLetterBacklog, CauseStateReadFailed, CauseStalePending}

// Degrading reports whether the axis means that expected data is missing.
func (a CoverageAxis) Degrading() bool {
	switch a {
	case CoveragePartial, CoverageRetryableGap, CoverageTerminalGap, CoverageGaps:
		return true
	}
	return false
}

// Accepted reports whether the axis is a label by which a manifest declares that a
// stream is not collected.
func (a CoverageAxis) Accepted() bool { return slices.Contains(acceptedLabels, a) }

// acceptedLabels is the order in which one label represents several streams.
var acceptedLabels = []CoverageAxis{CoverageUnsupported, CoverageUnavailable, CoverageDeferred, CoverageInventoryOnly}

// known returns the axis, or unknown for a word that does not belong to it.
func (a CoverageAxis) known() CoverageAxis {
	if a == CoverageComplete || a.Degrading() || a.Accepted() {
		return a
	}
	return CoverageUnknown
}

func (a FreshnessAxis) known() FreshnessAxis {
	if a == FreshnessFresh || a == FreshnessStale {
		return a
	}
	return FreshnessUnknown
}

func (a OutboxState) known() OutboxState {
	if a == OutboxIdle || a == OutboxActive || a == OutboxStalled {
		return a
	}
	return OutboxUnknown
}

// known returns the axis, or open for a word that does not belong to it: a request in
// an unknown state has not been closed.
func (a AttentionAxis) known() AttentionAxis {
	switch a {
	case AttentionNone, AttentionAcknowledged, AttentionInProgress:
		return a
	}
	return AttentionOpen
}

func (a SurfaceAxis) known() SurfaceAxis {
	switch a {
	case SurfaceNone, SurfaceIdle, SurfaceWaiting, SurfaceLeased, SurfaceFailed:
		return a
	}
	return SurfaceUnknown
}

// MarshalJSON writes the cause, or null for none.
func (c StalledCause) MarshalJSON() ([]byte, error) { return Word(c).MarshalJSON() }

// Axes is the state of a connection on each axis.
type Axes struct {
	Attention     AttentionAxis `json:"attention"`
	Coverage      CoverageAxis  `json:"coverage"`
	Freshness     FreshnessAxis `json:"freshness"`
	Outbox        OutboxState   `json:"outbox"`
	RemoteSurface SurfaceAxis   `json:"remote_surface"`
}
