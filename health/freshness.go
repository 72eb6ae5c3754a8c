package health

import "time"

// FreshnessInput is what a connection's freshness depends on.
type FreshnessInput struct {
	Now            Instant `json:"now"`
	LastSuccessAt  Instant `json:"last_success_at"`
	NewestRecordAt Instant `json:"newest_record_at"`
	// HeartbeatAt is a trusted heartbeat of a local device, which may stand in
	// for a success (HL-14.1).
	HeartbeatAt       Instant `json:"heartbeat_at"`
	LocalDeviceBacked bool    `json:"local_device_backed"`
	// MaximumStaleness is the window that the manifest declares; 0: none.
	MaximumStaleness time.Duration `json:"maximum_staleness_ns"`
}

// Freshness tells whether the data is younger than its declared window. Without
// a window, or without anything that was captured, nobody can tell (HL-14.2).
// A run that failed since does not make the data any older: that it failed is
// said of the collection and of the coverage. Data from further ahead than the
// window is long is of a clock that was put back since: how old it is, nobody
// knows (Invariant 8).
func Freshness(in FreshnessInput) FreshnessAxis {
	captured := in.captured()
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

// captured is from when the data is, as far as anybody knows.
func (in *FreshnessInput) captured() Instant {
	success := in.LastSuccessAt
	if in.LocalDeviceBacked {
		success = firstKnown(success, in.HeartbeatAt)
	}
	return firstKnown(success, in.NewestRecordAt)
}
