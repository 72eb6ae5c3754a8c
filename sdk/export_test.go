package sdk

// Outstanding returns how many requests have an answer that is still awaited or
// kept.
func (h *Host) Outstanding() int { return len(h.inFlight) }
