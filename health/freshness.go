package health

import "time"

// FreshnessInput holds the inputs of a connection's freshness.
type FreshnessInput struct {
	Now            Instant `json:"now"`
	LastSuccessAt  Instant `json:"last_success_at"`
	NewestRecordAt Instant `json:"newest_record_at"`
	// HeartbeatAt is the time of a trusted heartbeat of a local device, which may
	// replace a success (HL-14.1).
	HeartbeatAt       Instant `json:"heartbeat_at"`
	LocalDeviceBacked bool    `json:"local_device_backed"`
	// MaximumStaleness is the window that the manifest declares; 0: none.
	MaximumStaleness time.Duration `json:"maximum_staleness_ns"`
}

// Freshness reports whether the data is younger than its declared window. Without a
// window, or without captured data, it is unknown (HL-14.2). A later failed run does
// not make the data older: collection and coverage report the failure. Data dated
// further in the future than the window implies that the clock was set back; its age
// is unknown (Invariant 8).
func Freshness(in FreshnessInput) FreshnessAxis {
	captured := in.Captured()
	if captured.IsZero() || in.Now.IsZero() || in.MaximumStaleness <= 0 {
		return FreshnessUnknown
	}
	switch age := in.Now.Sub(captured.Time); {
	case age < -in.MaximumStaleness:
		return FreshnessUnknown
	case age <= in.MaximumStaleness:
		return FreshnessFresh
	}
	return FreshnessStale
}

// Captured returns the time of the data, as far as it is known.
func (in *FreshnessInput) Captured() Instant {
	success := in.LastSuccessAt
	if in.LocalDeviceBacked {
		success = firstKnown(success, in.HeartbeatAt)
	}
	return firstKnown(success, in.NewestRecordAt)
}
