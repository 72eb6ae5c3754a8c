package health

import (
	"slices"
	"time"
)

// StoredDevice is what enrolled devices said of a connection that they feed. It
// is kept of trusted sources alone: what a revoked one said last is nothing to go
// by (HL-11.2).
type StoredDevice struct {
	Sources []StoredSource `json:"sources,omitempty"` // by id
	// Stores counts the connection's coverage records by the word for what became
	// of the store, every word that nobody knows as one. nil: there are none, or
	// nobody could count them.
	Stores map[Word]int64 `json:"stores,omitempty"`
}

// StoredSource is the last heartbeat of one source on one device. The time is of
// the host that received it: a device's own clock is worth nothing here.
type StoredSource struct {
	ID      string        `json:"id"`
	Device  string        `json:"device,omitempty"` // that it is on
	HeardUS int64         `json:"heard_us,omitempty"`
	Status  Word          `json:"status,omitempty"`
	Pending *int64        `json:"pending,omitempty"`
	Outbox  *StoredOutbox `json:"outbox,omitempty"`
}

// StoredOutbox are the counts of a device's outbox. A count that is nil was not
// told.
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
		Pending: told(o.Pending), Retrying: told(o.Retrying), StaleLeases: told(o.StaleLeases), DeadLetter: told(o.DeadLetter),
		BacklogOpen: told(o.BacklogOpen), Leased: told(o.Leased), Succeeded: told(o.Succeeded), Total: told(o.Total),
		OldestPendingAt: instantOf(o.OldestPendingUS),
	}
}

// told passes a count; what is negative tells nothing.
func told(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}

// heartbeats are those of the sources, which are all trusted, as they are at now.
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
			LastHeartbeatStatus: src.Status, RecordsPending: told(src.Pending), OutboxDiagnostics: src.Outbox.diagnostics(),
		}
		switch {
		case h.gaveUp():
			// Whatever it is at since: that is over only once it says so (HL-14, HL-16).
			h.LastHeartbeatStatus = heartbeatBlocked
		case h.busy() && (!h.left() || !now.IsZero() && now.Sub(h.LastHeartbeatAt.Time) > StaleHeartbeat):
			// It has begun, and has nothing on its way: that is no delivery, and of what
			// becomes of it nobody knows.
			h.LastHeartbeatStatus = ""
		}
	}
	return out
}

// busy reports whether the device said that it is at work.
func (h *Heartbeat) busy() bool {
	return h.LastHeartbeatStatus == "starting" || h.LastHeartbeatStatus == "retrying"
}

// left reports whether the device told of work that has not left it.
func (h *Heartbeat) left() bool {
	return h.pending() || (*OutboxCounts)(h.OutboxDiagnostics).Stuck()
}

// outbox is what the sources say together; nil for a connection of no device.
func (s *Stored) outbox(m Moment) *Outbox {
	if s.Device == nil {
		return nil
	}
	beats := s.heartbeats(m.Now)
	r := OutboxAxis(beats, m.Now, StaleHeartbeat)
	return &Outbox{
		Axis: r.Axis, Cause: r.Cause, Counts: RollupOutboxCounts(beats), Left: slices.ContainsFunc(beats, func(h Heartbeat) bool { return h.left() }),
	}
}

// quietFrom is the first instant after now at which a heartbeat with work that is
// left has been the last for too long, or one of the future is near enough to be
// believed.
func (s *Stored) quietFrom(now Instant) Instant {
	var first Instant
	beats := s.heartbeats(Instant{})
	for i := range beats {
		b := &beats[i]
		if b.LastHeartbeatAt.IsZero() || b.LastHeartbeatStatus == heartbeatBlocked {
			continue
		}
		at := b.LastHeartbeatAt.Add(-StaleHeartbeat)
		if !at.After(now.Time) && (b.pending() || b.busy()) {
			at = b.LastHeartbeatAt.Add(StaleHeartbeat + time.Microsecond)
		}
		if at.After(now.Time) && (first.IsZero() || at.Before(first.Time)) {
			first = At(at)
		}
	}
	return first
}

// drainedAt is the oldest of the sources' heartbeats, where each says that
// everything was delivered; it stands in for a success where no run has ended
// (HL-14.1).
func (s *Stored) drainedAt() Instant {
	var oldest Instant
	beats := s.heartbeats(Instant{})
	for i := range beats {
		b := &beats[i]
		// At its own moment no heartbeat is too old.
		if axis, _ := b.read(b.LastHeartbeatAt, StaleHeartbeat); axis != OutboxIdle || b.left() {
			return Instant{}
		}
		if oldest.IsZero() || b.LastHeartbeatAt.Before(oldest.Time) {
			oldest = b.LastHeartbeatAt
		}
	}
	return oldest
}

// localCoverage are the device's coverage records, as far as coverage asks.
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

// StoreStatus is a coverage record's word, as it is counted: one of the known
// words, and unaccounted for any other.
func StoreStatus(word Word) Word {
	if r := (StoreRecord{Status: word}); r.accounted() {
		return word
	}
	return "unaccounted"
}
