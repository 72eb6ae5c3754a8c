package health

// Disposition is what happens next to missing data. It is the only source for whether
// something is terminal (HL-25).
type Disposition string

// The dispositions.
const (
	DispositionComplete        Disposition = "complete"
	DispositionChecking        Disposition = "checking"
	DispositionResumable       Disposition = "resumable"
	DispositionAwaitingOwner   Disposition = "awaiting_owner"
	DispositionOwnerRefreshDue Disposition = "owner_refresh_due"
	DispositionTerminal        Disposition = "terminal"
)

// DispositionInput holds the inputs of the disposition of a stream or of a connection.
type DispositionInput struct {
	Coverage      CoverageAxis  `json:"coverage"`
	Freshness     FreshnessAxis `json:"freshness"`
	AttentionOpen bool          `json:"attention_open"`
	GapRetryable  bool          `json:"gap_retryable"`
	// Accepted: the manifest declares the coverage unsupported or unavailable for
	// something that is not required. It is then no gap.
	Accepted bool     `json:"accepted,omitempty"`
	Refresh  *Refresh `json:"refresh"`
}

// ForwardDisposition returns what happens next.
func ForwardDisposition(in DispositionInput) Disposition {
	axis := in.Coverage.known()
	absent := axis == CoverageUnsupported || axis == CoverageUnavailable
	switch {
	case axis.Degrading() || absent && !in.Accepted:
		switch {
		case in.AttentionOpen:
			return DispositionAwaitingOwner
		case axis == CoverageTerminalGap, absent:
			return DispositionTerminal
		case axis == CoveragePartial, axis == CoverageGaps, in.GapRetryable:
			return DispositionResumable
		}
		return DispositionTerminal
	case axis == CoverageUnknown:
		return DispositionChecking
	case in.Freshness == FreshnessStale && in.Refresh.ManualOnly():
		return DispositionOwnerRefreshDue
	}
	return DispositionComplete
}
