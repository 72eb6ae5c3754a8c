package health

import "encoding/json"

// OutboxDiagnostics are one device's own counts of its outbox. A negative or
// fractional count is treated as missing.
type OutboxDiagnostics OutboxCounts

// UnmarshalJSON reads a device's report field by field, so an invalid count does not
// spoil the others.
func (d *OutboxDiagnostics) UnmarshalJSON(b []byte) error {
	var raw struct {
		Pending         json.RawMessage `json:"pending"`
		Retrying        json.RawMessage `json:"retrying"`
		StaleLeases     json.RawMessage `json:"stale_leases"`
		DeadLetter      json.RawMessage `json:"dead_letter"`
		BacklogOpen     json.RawMessage `json:"backlog_open"`
		Leased          json.RawMessage `json:"leased"`
		Succeeded       json.RawMessage `json:"succeeded"`
		Total           json.RawMessage `json:"total"`
		OldestPendingAt Instant         `json:"oldest_pending_at"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*d = OutboxDiagnostics{
		Pending: count(raw.Pending), Retrying: count(raw.Retrying), StaleLeases: count(raw.StaleLeases), DeadLetter: count(raw.DeadLetter),
		BacklogOpen: count(raw.BacklogOpen), Leased: count(raw.Leased), Succeeded: count(raw.Succeeded), Total: count(raw.Total),
		OldestPendingAt: raw.OldestPendingAt,
	}
	return nil
}

// count returns a whole number that is not negative, or nil.
func count(raw json.RawMessage) *int64 {
	var n *int64
	if json.Unmarshal(raw, &n) != nil || n == nil || *n < 0 {
		return nil
	}
	return n
}

// OutboxCounts is the sum of the reports of a connection's trusted sources. A field
// that none of them reported is absent, which differs from zero. Only the owner sees
// the counts, and no other keys are ever added (HL-11.3).
type OutboxCounts struct {
	Pending         *int64  `json:"pending,omitempty"`
	Retrying        *int64  `json:"retrying,omitempty"`
	StaleLeases     *int64  `json:"stale_leases,omitempty"`
	DeadLetter      *int64  `json:"dead_letter,omitempty"`
	BacklogOpen     *int64  `json:"backlog_open,omitempty"`
	Leased          *int64  `json:"leased,omitempty"`
	Succeeded       *int64  `json:"succeeded,omitempty"`
	Total           *int64  `json:"total,omitempty"`
	OldestPendingAt Instant `json:"oldest_pending_at,omitzero"`
}

// fields returns the counts, those of stuck work first.
func (c *OutboxCounts) fields() [8]**int64 {
	return [...]**int64{&c.Pending, &c.Retrying, &c.StaleLeases, &c.DeadLetter, &c.BacklogOpen, &c.Leased, &c.Succeeded, &c.Total}
}

// stuckFields is the number of fields that count work still on the device.
const stuckFields = 5

// Stuck reports whether work is left on the device. Without counts no stuck work is
// known.
func (c *OutboxCounts) Stuck() bool {
	if c == nil {
		return false
	}
	fields := c.fields()
	for _, n := range fields[:stuckFields] {
		if positive(*n) {
			return true
		}
	}
	return false
}

func (c *OutboxCounts) clone() *OutboxCounts {
	if c == nil {
		return nil
	}
	out := &OutboxCounts{OldestPendingAt: c.OldestPendingAt}
	to := out.fields()
	for i, n := range c.fields() {
		addCount(to[i], *n)
	}
	return out
}

// RollupOutboxCounts sums the counts of the trusted sources and keeps the earliest
// pending time; nil if none of them reported any (HL-11).
func RollupOutboxCounts(heartbeats []Heartbeat) *OutboxCounts {
	sum, told := &OutboxCounts{}, false
	to := sum.fields()
	for i := range heartbeats {
		h := &heartbeats[i]
		if h.OutboxDiagnostics == nil || !h.trusted() {
			continue
		}
		reported := OutboxCounts(*h.OutboxDiagnostics)
		for j, n := range reported.fields() {
			addCount(to[j], *n)
			told = told || *to[j] != nil
		}
		if at := reported.OldestPendingAt; !at.IsZero() {
			told = true
			if sum.OldestPendingAt.IsZero() || at.Before(sum.OldestPendingAt.Time) {
				sum.OldestPendingAt = at
			}
		}
	}
	if !told {
		return nil
	}
	return sum
}
