package health

import (
	"math"
	"slices"
	"time"
)

// StaleHeartbeat is the age beyond which a heartbeat no longer proves that pending
// work is being sent, unless the caller gives another.
const StaleHeartbeat = 30 * time.Minute

// Heartbeat is the last report of one source instance of a device.
type Heartbeat struct {
	SourceInstanceID    Word               `json:"source_instance_id"`
	DeviceStatus        Word               `json:"device_status"`
	SourceStatus        Word               `json:"source_status"`
	DeviceRevokedAt     Instant            `json:"device_revoked_at"`
	LastHeartbeatAt     Instant            `json:"last_heartbeat_at"`
	LastHeartbeatStatus Word               `json:"last_heartbeat_status"` // blocked healthy retrying starting stopped
	RecordsPending      *int64             `json:"records_pending"`
	OutboxDiagnostics   *OutboxDiagnostics `json:"outbox_diagnostics"`
}

// The words of a heartbeat that have an effect.
const (
	DeviceActive     Word = "active"
	HeartbeatBlocked Word = "blocked"
)

// trusted reports whether a row is evidence about its connection.
func (h *Heartbeat) trusted() bool {
	return h.DeviceStatus == DeviceActive && h.SourceStatus == DeviceActive && h.DeviceRevokedAt.IsZero()
}

// Pending reports whether records wait on the device.
func (h *Heartbeat) Pending() bool { return positive(h.RecordsPending) }

// GaveUp reports whether the device reported work that it no longer sends.
func (h *Heartbeat) GaveUp() bool {
	return h.OutboxDiagnostics != nil && positive(h.OutboxDiagnostics.DeadLetter)
}

func positive(n *int64) bool { return n != nil && *n > 0 }

// OutboxReading is the combined reading of a connection's heartbeats.
type OutboxReading struct {
	Axis OutboxState `json:"axis"`
	// Cause is set only if the axis is stalled (HL-16.4).
	Cause StalledCause `json:"cause"`
	// SourceCount is the number of trusted sources. HasEvidence: one of them has sent
	// a heartbeat. Unreliable: one of them has no readable state.
	SourceCount int  `json:"source_count"`
	HasEvidence bool `json:"has_evidence"`
	Unreliable  bool `json:"unreliable"`
	// RecordsPending is the sum over the trusted sources; nil if none reported it.
	RecordsPending *int64 `json:"records_pending"`
}

// OutboxAxis reads a connection's heartbeats at now. Only trusted rows count. One
// stalled source stalls the connection, with the most actionable cause; one active
// source makes it active; it is idle only if every source is idle, and unknown
// otherwise. A heartbeat older than threshold (exclusive) with pending work is
// stalled.
func OutboxAxis(heartbeats []Heartbeat, now Instant, threshold time.Duration) OutboxReading {
	r := OutboxReading{Axis: OutboxUnknown}
	cause, active, idle := len(stalledCauses), false, 0
	for i := range heartbeats {
		h := &heartbeats[i]
		if !h.trusted() {
			continue
		}
		r.SourceCount++
		r.HasEvidence = r.HasEvidence || !h.LastHeartbeatAt.IsZero()
		addCount(&r.RecordsPending, h.RecordsPending)
		switch axis, why := h.Read(now, threshold); axis {
		case OutboxStalled:
			cause = min(cause, slices.Index(stalledCauses, why))
		case OutboxActive:
			active = true
		case OutboxIdle:
			idle++
		default:
			r.Unreliable = true
		}
	}
	switch {
	case cause < len(stalledCauses):
		r.Axis, r.Cause = OutboxStalled, stalledCauses[cause]
	case active:
		r.Axis = OutboxActive
	case idle > 0 && idle == r.SourceCount:
		r.Axis = OutboxIdle
	}
	return r
}

// Read reads one trusted row: the first test that matches wins.
func (h *Heartbeat) Read(now Instant, threshold time.Duration) (OutboxState, StalledCause) {
	switch {
	case h.LastHeartbeatAt.IsZero():
		return OutboxUnknown, ""
	case h.LastHeartbeatStatus == HeartbeatBlocked:
		if h.GaveUp() {
			return OutboxStalled, CauseDeadLetterBacklog
		}
		return OutboxStalled, CauseStateReadFailed
	case !now.IsZero() && now.Sub(h.LastHeartbeatAt.Time) < -threshold:
		return OutboxUnknown, "" // the clock was set back since; the heartbeat's age is unknown
	case h.Pending() && !now.IsZero() && now.Sub(h.LastHeartbeatAt.Time) > threshold:
		return OutboxStalled, CauseStalePending
	case h.LastHeartbeatStatus == "starting", h.LastHeartbeatStatus == "retrying", h.Pending():
		return OutboxActive, ""
	case h.LastHeartbeatStatus == "healthy", h.LastHeartbeatStatus == "stopped":
		return OutboxIdle, ""
	}
	return OutboxUnknown, ""
}

// addCount adds a source's count to a sum; a negative count is ignored. On overflow
// the sum stays at the largest number.
func addCount(to **int64, n *int64) {
	switch {
	case n == nil || *n < 0:
	case *to == nil:
		sum := *n
		*to = &sum
	default:
		**to += min(*n, math.MaxInt64-**to)
	}
}

// Working reports whether the device said that it is working.
func (h *Heartbeat) Working() bool {
	return h.LastHeartbeatStatus == "starting" || h.LastHeartbeatStatus == "retrying"
}

// HoldsWork reports whether the device reported work that it still holds.
func (h *Heartbeat) HoldsWork() bool {
	return h.Pending() || (*OutboxCounts)(h.OutboxDiagnostics).Stuck()
}
