package health

// NextAction is what the open request asks of the owner. Owner surfaces read the
// verdict's required actions instead.
type NextAction struct {
	Source           string  `json:"source"` // structured, schedule_fallback
	ID               Word    `json:"id"`
	OwnerAction      Word    `json:"owner_action"`
	ActionTarget     Word    `json:"action_target"`
	ReasonCode       Word    `json:"reason_code"`
	ResponseContract Word    `json:"response_contract"`
	RunID            Word    `json:"run_id"`
	ExpiresAt        Instant `json:"expires_at"`
}

// nextAction copies the parts of the open request that are not secret; nil in every
// state other than needs_attention.
func (f *facts) nextAction(s State) *NextAction {
	if s != StateNeedsAttention {
		return nil
	}
	a := f.attention
	n := &NextAction{
		Source: "schedule_fallback", ID: Identity(a.ID), RunID: Identity(a.RunID), ExpiresAt: a.ExpiresAt,
	}
	n.OwnerAction, _ = reasonOf(a.OwnerAction, "")
	n.ResponseContract, _ = reasonOf(a.ResponseContract, "")
	n.ReasonCode, _ = reasonOf(a.ReasonCode, outcomes[attentionOpen].reason)
	if a.Sensitivity != "secret" {
		n.ActionTarget, _ = reasonOf(a.ActionTarget, "")
	}
	if n.ID != "" && n.OwnerAction != "" {
		n.Source = "structured"
	}
	return n
}
