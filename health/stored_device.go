package health

import (
	"slices"
	"time"
)

// StoredDevice holds the reports of the enrolled devices that feed a connection. It
// covers trusted sources only: the last report of a revoked one proves nothing
// (HL-11.2).
type StoredDevice struct {
	Sources []StoredSource `json:"sources,omitempty"` // by id
	// Stores counts the connection's coverage records by status; all unknown statuses
	// count as one. nil: there are none, or they could not be counted.
	Stores map[Word]int64 `json:"stores,omitempty"`
}

// StoredSource is the last heartbeat of one source on one device. Its time is that of
// the receiving host, since a device's own clock cannot be trusted.
type StoredSource struct {
	ID      string        `json:"id"`
	Device  string        `json:"device,omitempty"` // the source's device
	HeardUS int64         `json:"heard_us,omitempty"`
	Status  Word          `json:"status,omitempty"`
	Pending *int64        `json:"pending,omitempty"`
	Outbox  *StoredOutbox `json:"outbox,omitempty"`
}

// StoredOutbox holds the counts of a device's outbox. nil: not reported.
type StoredOutbox struct {
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

func (o *StoredOutbox) diagnostics() *OutboxDiagnostics {
	if o == nil {
		return nil
	}
	return &OutboxDiagnostics{
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
func (s *Stored) heartbeats(now Instant) []Heartbeat {
	if s.Device == nil {
		return nil
	}
	out := make([]Heartbeat, len(s.Device.Sources))
	for i := range s.Device.Sources {
		src := &s.Device.Sources[i]
		h := &out[i]
		*h = Heartbeat{
			SourceInstanceID: Word(src.ID), DeviceStatus: deviceActive, SourceStatus: deviceActive, LastHeartbeatAt: instantOf(src.HeardUS),
			LastHeartbeatStatus: src.Status, RecordsPending: nonNegative(src.Pending), OutboxDiagnostics: src.Outbox.diagnostics(),
		}
		switch {
		case h.gaveUp():
			// A later activity does not end the problem; only the device's report does
			// (HL-14, HL-16).
			h.LastHeartbeatStatus = heartbeatBlocked
		case h.working() && (!h.holdsWork() || !now.IsZero() && now.Sub(h.LastHeartbeatAt.Time) > StaleHeartbeat):
			// It started and has nothing in transit, which is not a delivery; the
			// result is unknown.
			h.LastHeartbeatStatus = ""
		}
	}
	return out
}

// working reports whether the device said that it is working.
func (h *Heartbeat) working() bool {
	return h.LastHeartbeatStatus == "starting" || h.LastHeartbeatStatus == "retrying"
}

// holdsWork reports whether the device reported work that it still holds.
func (h *Heartbeat) holdsWork() bool {
	return h.pending() || (*OutboxCounts)(h.OutboxDiagnostics).Stuck()
}

// outbox returns the combined state of the sources; nil for a connection without a
// device.
func (s *Stored) outbox(m Moment) *Outbox {
	if s.Device == nil {
		return nil
	}
	beats := s.heartbeats(m.Now)
	r := OutboxAxis(beats, m.Now, StaleHeartbeat)
	return &Outbox{
		Axis: r.Axis, Cause: r.Cause, Counts: RollupOutboxCounts(beats), Left: slices.ContainsFunc(beats, func(h Heartbeat) bool { return h.holdsWork() }),
	}
}

// nextHeartbeatChange returns the first instant after now at which a heartbeat with pending work
// becomes stale, or a heartbeat from the future becomes credible.
func (s *Stored) nextHeartbeatChange(now Instant) Instant {
	var first Instant
	beats := s.heartbeats(Instant{})
	for i := range beats {
		b := &beats[i]
		if b.LastHeartbeatAt.IsZero() || b.LastHeartbeatStatus == heartbeatBlocked {
			continue
		}
		at := b.LastHeartbeatAt.Add(-StaleHeartbeat)
		if !at.After(now.Time) && (b.pending() || b.working()) {
			at = b.LastHeartbeatAt.Add(StaleHeartbeat + time.Microsecond)
		}
		if at.After(now.Time) && (first.IsZero() || at.Before(first.Time)) {
			first = At(at)
		}
	}
	return first
}

// drainedAt returns the oldest of the sources' heartbeats if each reports that
// everything was delivered. It replaces a success if no run has ended (HL-14.1).
func (s *Stored) drainedAt() Instant {
	var oldest Instant
	beats := s.heartbeats(Instant{})
	for i := range beats {
		b := &beats[i]
		// A heartbeat is read at its own time, so it is never stale here.
		if axis, _ := b.read(b.LastHeartbeatAt, StaleHeartbeat); axis != OutboxIdle || b.holdsWork() {
			return Instant{}
		}
		if oldest.IsZero() || b.LastHeartbeatAt.Before(oldest.Time) {
			oldest = b.LastHeartbeatAt
		}
	}
	return oldest
}

// localCoverage returns the device's coverage records, as far as coverage needs them.
func (s *Stored) localCoverage() *LocalCoverage {
	if s.Device == nil || len(s.Device.Stores) == 0 || s.takenOver() {
		return nil
	}
	l := &LocalCoverage{Readable: true}
	for word, n := range s.Device.Stores {
		if n > 0 {
			l.Records = append(l.Records, StoreRecord{Status: word})
		}
	}
	return l
}

// StoreStatus returns the word under which a coverage record is counted: a known word,
// or unaccounted for any other.
func StoreStatus(word Word) Word {
	if r := (StoreRecord{Status: word}); r.accounted() {
		return word
	}
	return "unaccounted"
}
