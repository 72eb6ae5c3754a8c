package health

import "github.com/pdpp-host/pdpp-host/abi"

// DetailGaps are the pending detail gaps of a connection, as far as they were read.
type DetailGaps struct {
	Unreadable bool         `json:"unreadable"`
	Pending    []PendingGap `json:"pending"`
	ReadLimit  *int         `json:"read_limit"` // nil: all were read
	Recovered  *int64       `json:"recovered"`  // nil: not counted
	// Counted is the roll-up from a store that counts its gaps. If it is set, only
	// Unreadable of the other fields has a meaning.
	Counted *Backlog `json:"counted,omitempty"`
}

// PendingGap is one detail that has not been fetched yet.
type PendingGap struct {
	Reason           abi.Reason `json:"reason"`
	AttemptCount     int64      `json:"attempt_count"`
	NextAttemptAfter Instant    `json:"next_attempt_after"`
	Stream           string     `json:"stream"`
}

// Backlog counts the details that wait because the source is under pressure, and those
// that wait for other reasons. It is additional information: no state, axis,
// disposition or action depends on it (HL-19). Only the owner sees it.
type Backlog struct {
	Pending             int64   `json:"pending"`
	PendingIsFloor      bool    `json:"pending_is_floor"` // the read reached a bound: there may be more
	PendingOther        int64   `json:"pending_other"`
	PendingOtherIsFloor bool    `json:"pending_other_is_floor"`
	Recovered           *int64  `json:"recovered"` // nil: not counted, which is not zero
	MaxAttemptCount     int64   `json:"max_attempt_count"`
	NextAttemptAt       Instant `json:"next_attempt_at"` // no gap is retried before it
}

// DetailGapBacklog counts the pending details. It returns nil if they could not be
// read, which differs from zero (HL-18.2, HL-18.3).
func DetailGapBacklog(gaps *DetailGaps) *Backlog {
	if gaps == nil || gaps.Unreadable {
		return nil
	}
	if gaps.Counted != nil {
		counted := *gaps.Counted
		counted.Recovered = nil
		addCount(&counted.Recovered, gaps.Counted.Recovered)
		return &counted
	}
	b := &Backlog{}
	addCount(&b.Recovered, gaps.Recovered)
	for i := range gaps.Pending {
		g := &gaps.Pending[i]
		if !g.Reason.IsSourcePressure() {
			b.PendingOther++
			continue
		}
		b.Pending++
		b.MaxAttemptCount = max(b.MaxAttemptCount, g.AttemptCount)
		if at := g.NextAttemptAfter; !at.IsZero() && (b.NextAttemptAt.IsZero() || at.Before(b.NextAttemptAt.Time)) {
			b.NextAttemptAt = at
		}
	}
	bounded := gaps.ReadLimit != nil && len(gaps.Pending) >= *gaps.ReadLimit
	b.PendingIsFloor = bounded
	b.PendingOtherIsFloor = bounded && b.PendingOther > 0
	return b
}
