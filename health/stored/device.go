package stored

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// Device holds the reports of the enrolled devices that feed a connection. It
// covers trusted sources only: the last report of a revoked one proves nothing
// (HL-11.2).
type Device struct {
	Sources []Source `json:"sources,omitempty"` // by id
	// Stores counts the connection's coverage records by status; all unknown statuses
	// count as one. nil: there are none, or they could not be counted.
	Stores map[health.Word]int64 `json:"stores,omitempty"`
}

// Source is the last heartbeat of one source on one device. Its time is that of
// the receiving host, since a device's own clock cannot be trusted.
type Source struct {
	ID      string      `json:"id"`
	Device  string      `json:"device,omitempty"` // the source's device
	HeardUS int64       `json:"heard_us,omitempty"`
	Status  health.Word `json:"status,omitempty"`
	Pending *int64      `json:"pending,omitempty"`
	Outbox  *Outbox     `json:"outbox,omitempty"`
	// Refusals are what this host refuses of what the device delivers, the last of each stream and code, the last first.
	Refusals []RefusedDelivery `json:"refusals,omitempty"`
}

// Outbox holds the counts of a device's outbox. nil: not reported.
type Outbox struct {
	Pending         *int64 `json:"pending,omitempty"`
	Retrying        *int64 `json:"retrying,omitempty"`
	StaleLeases     *int64 `json:"stale_leases,omitempty"`
	DeadLetter      *int64 `json:"dead_letter,omitempty"`
	BacklogOpen     *int64 `json:"backlog_open,omitempty"`
	Leased          *int64 `json:"leased,omitempty"`
	Succeeded       *int64 `json:"succeeded,omitempty"`
	Total           *int64 `json:"total,omitempty"`
	OldestPendingUS int64  `json:"oldest_pending_us,omitempty"`
}

func (o *Outbox) diagnostics() *health.OutboxDiagnostics {
	if o == nil {
		return nil
	}
	return &health.OutboxDiagnostics{
		Pending: nonNegative(o.Pending), Retrying: nonNegative(o.Retrying), StaleLeases: nonNegative(o.StaleLeases), DeadLetter: nonNegative(o.DeadLetter),
		BacklogOpen: nonNegative(o.BacklogOpen), Leased: nonNegative(o.Leased), Succeeded: nonNegative(o.Succeeded), Total: nonNegative(o.Total),
		OldestPendingAt: instantOf(o.OldestPendingUS),
	}
}

// nonNegative returns a count, nil if it is negative.
func nonNegative(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}

// heartbeats returns the sources' heartbeats as of now. All stored sources are
// trusted.
func (s *Facts) heartbeats(now health.Instant) []health.Heartbeat {
	if s.Device == nil {
		return nil
	}
	out := make([]health.Heartbeat, len(s.Device.Sources))
	for i := range s.Device.Sources {
		src := &s.Device.Sources[i]
		h := &out[i]
		*h = health.Heartbeat{
			SourceInstanceID: health.Word(src.ID), DeviceStatus: health.DeviceActive, SourceStatus: health.DeviceActive, LastHeartbeatAt: instantOf(src.HeardUS),
			LastHeartbeatStatus: src.Status, RecordsPending: nonNegative(src.Pending), OutboxDiagnostics: src.Outbox.diagnostics(),
		}
		switch {
		case h.GaveUp():
			// A later activity does not end the problem; only the device's report does
			// (HL-14, HL-16).
			h.LastHeartbeatStatus = health.HeartbeatBlocked
		case h.Working() && (!h.HoldsWork() || !now.IsZero() && now.Sub(h.LastHeartbeatAt.Time) > health.StaleHeartbeat):
			// It started and has nothing in transit, which is not a delivery; the
			// result is unknown.
			h.LastHeartbeatStatus = ""
		}
	}
	return out
}

// outbox returns the combined state of the sources; nil for a connection without a
// device.
func (s *Facts) outbox(m Moment) *health.Outbox {
	if s.Device == nil {
		return nil
	}
	beats := s.heartbeats(m.Now)
	r := health.OutboxAxis(beats, m.Now, health.StaleHeartbeat)
	return &health.Outbox{
		Axis: r.Axis, Cause: r.Cause, Counts: health.RollupOutboxCounts(beats), Left: slices.ContainsFunc(beats, func(h health.Heartbeat) bool { return h.HoldsWork() }),
	}
}

// nextHeartbeatChange returns the first instant after now at which a heartbeat with pending work
// becomes stale, or a heartbeat from the future becomes credible.
func (s *Facts) nextHeartbeatChange(now health.Instant) health.Instant {
	var first health.Instant
	beats := s.heartbeats(health.Instant{})
	for i := range beats {
		b := &beats[i]
		if b.LastHeartbeatAt.IsZero() || b.LastHeartbeatStatus == health.HeartbeatBlocked {
			continue
		}
		at := b.LastHeartbeatAt.Add(-health.StaleHeartbeat)
		if !at.After(now.Time) && (b.Pending() || b.Working()) {
			at = b.LastHeartbeatAt.Add(health.StaleHeartbeat + time.Microsecond)
		}
		if at.After(now.Time) && (first.IsZero() || at.Before(first.Time)) {
			first = health.At(at)
		}
	}
	return first
}

// drainedAt returns the oldest of the sources' heartbeats if each reports that
// everything was delivered. It replaces a success if no run has ended (HL-14.1).
func (s *Facts) drainedAt() health.Instant {
	var oldest health.Instant
	beats := s.heartbeats(health.Instant{})
	for i := range beats {
		b := &beats[i]
		// A heartbeat is read at its own time, so it is never stale here.
		if axis, _ := b.Read(b.LastHeartbeatAt, health.StaleHeartbeat); axis != health.OutboxIdle || b.HoldsWork() {
			return health.Instant{}
		}
		if oldest.IsZero() || b.LastHeartbeatAt.Before(oldest.Time) {
			oldest = b.LastHeartbeatAt
		}
	}
	return oldest
}

// localCoverage returns the device's coverage records, as far as coverage needs them.
func (s *Facts) localCoverage() *health.LocalCoverage {
	if s.Device == nil || len(s.Device.Stores) == 0 || s.takenOver() {
		return nil
	}
	l := &health.LocalCoverage{Readable: true}
	for word, n := range s.Device.Stores {
		if n > 0 {
			l.Records = append(l.Records, health.StoreRecord{Status: word})
		}
	}
	return l
}

// StoreStatus returns the word under which a coverage record is counted: a known word,
// or unaccounted for any other.
func StoreStatus(word health.Word) health.Word {
	if r := (health.StoreRecord{Status: word}); r.Accounted() {
		return word
	}
	return "unaccounted"
}
