package health

import "slices"

// RejectedRecords counts one stream's records that failed their schema and that no
// run has delivered since.
type RejectedRecords struct {
	Stream string `json:"stream"`
	// Listed are known by their keys: the delivery or the deletion of each ends it.
	Listed int64 `json:"listed,omitempty"`
	// Unlisted are not. Only a full refresh ends them.
	Unlisted int64 `json:"unlisted,omitempty"`
}

// gap is the known gap that they are: the connector does not fit its own schema,
// and no run without another connector or a full refresh has to bring them.
func (r *RejectedRecords) gap() KnownGap {
	return KnownGap{Kind: "rejected_record", Stream: r.Stream, Severity: "actionable", RecoveryAction: "retry_on_connector_upgrade"}
}

// Rejections are those of the streams that there still are to collect.
func (s *Stored) Rejections() []RejectedRecords {
	return slices.DeleteFunc(slices.Clone(s.RejectedRecords), func(r RejectedRecords) bool { return !s.Collectable(r.Stream) })
}
