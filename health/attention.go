package health

// Attention is an open request to the owner. A projection never sees a request that
// was resolved, cancelled or superseded, or that has expired.
type Attention struct {
	ID                Word          `json:"id"`
	Lifecycle         AttentionAxis `json:"lifecycle"`
	ReasonCode        Word          `json:"reason_code"`
	ActionTarget      Word          `json:"action_target"`
	ExpiresAt         Instant       `json:"expires_at"`
	OwnerAction       Word          `json:"owner_action"`      // act_elsewhere, operate_attachment, provide_value
	ResponseContract  Word          `json:"response_contract"` // response_required, none
	RunID             Word          `json:"run_id"`
	Sensitivity       Word          `json:"sensitivity"` // none, non_secret, secret
	NotificationState Word          `json:"notification_state"`
}

// AttentionRequest is a stored request with the facts that decide which one is shown.
type AttentionRequest struct {
	Attention
	RunBlocked bool    `json:"run_blocked"` // its run waits for the answer
	CreatedAt  Instant `json:"created_at"`
}

// SelectAttention returns the most urgent of a connection's requests, or nil. It
// considers those that are open, have not expired, and block a run or need a response.
// A request that needs a response goes first, then one that blocks a run, then the one
// that expires sooner, then the older one.
func SelectAttention(requests []AttentionRequest, now Instant) *Attention {
	var best *AttentionRequest
	for i := range requests {
		r := &requests[i]
		if r.isShown(now) && (best == nil || r.before(best)) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	chosen := best.Attention
	return &chosen
}

func (r *AttentionRequest) isShown(now Instant) bool {
	switch r.Lifecycle {
	case AttentionOpen, AttentionAcknowledged, AttentionInProgress:
		return (r.RunBlocked || r.needsResponse()) && !expired(r.ExpiresAt, now)
	}
	return false
}

func (r *AttentionRequest) needsResponse() bool { return r.ResponseContract == "response_required" }

func (r *AttentionRequest) before(o *AttentionRequest) bool {
	switch {
	case r.needsResponse() != o.needsResponse():
		return r.needsResponse()
	case r.RunBlocked != o.RunBlocked:
		return r.RunBlocked
	case !r.ExpiresAt.Equal(o.ExpiresAt.Time):
		// A request that never expires waits for one that does.
		return !r.ExpiresAt.IsZero() && (o.ExpiresAt.IsZero() || r.ExpiresAt.Before(o.ExpiresAt.Time))
	default:
		return !r.CreatedAt.IsZero() && (o.CreatedAt.IsZero() || r.CreatedAt.Before(o.CreatedAt.Time))
	}
}
