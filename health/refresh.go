package health

// Refresh is the part of a manifest's refresh policy that health needs.
type Refresh struct {
	BackgroundSafe     *bool `json:"background_safe"`
	RecommendedMode    Word  `json:"recommended_mode"`    // automatic, manual, paused
	InteractionPosture Word  `json:"interaction_posture"` // none, credentials, otp_likely, manual_action_likely
}

// ManualOnly reports whether only the owner's own runs advance the data: the policy is
// manual, paused or not safe in the background. A missing policy is not manual (HL-04,
// HL-15).
func (r *Refresh) ManualOnly() bool {
	if r == nil {
		return false
	}
	return r.BackgroundSafe != nil && !*r.BackgroundSafe || r.RecommendedMode == "manual" || r.RecommendedMode == "paused"
}
