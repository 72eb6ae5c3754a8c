package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// RejectedRecords counts one stream's records that failed their schema and that no
// run has delivered since.
type RejectedRecords struct {
	Stream string `json:"stream"`
	// Listed counts records with known keys: the delivery or the deletion of a record
	// ends its entry.
	Listed int64 `json:"listed,omitempty"`
	// Unlisted counts the others. Only a full refresh ends them.
	Unlisted int64 `json:"unlisted,omitempty"`
}

// knownGap returns the known gap for the records: the connector does not fit its own
// schema, and only another connector or a full refresh has to deliver them.
func (r *RejectedRecords) knownGap() health.KnownGap {
	return health.KnownGap{Kind: "rejected_record", Stream: r.Stream, Severity: "actionable", RecoveryAction: "retry_on_connector_upgrade"}
}

// Rejections returns the rejected records of the streams that can still be collected.
func (s *Facts) Rejections() []RejectedRecords {
	return slices.DeleteFunc(slices.Clone(s.RejectedRecords), func(r RejectedRecords) bool { return !s.Collectable(r.Stream) })
}
