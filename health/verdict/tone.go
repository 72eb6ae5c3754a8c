package verdict

import "github.com/pdpp-host/pdpp-host/health"

// Tone is the pill's colour.
type Tone string

// The tones, the best first.
const (
	Green Tone = "green"
	Grey  Tone = "grey"
	Amber Tone = "amber"
	Red   Tone = "red"
)

// Label returns the label of a tone. No two tones share a label (HL-22).
func (t Tone) Label() string {
	switch t {
	case Green:
		return "Healthy"
	case Amber:
		return "Degraded"
	case Red:
		return "Can't collect"
	}
	return "Checking"
}

func (t Tone) rank() int {
	switch t {
	case Green:
		return 0
	case Amber:
		return 2
	case Red:
		return 3
	}
	return 1
}

// worse returns the worse of two tones.
func worse(a, b Tone) Tone {
	if b.rank() > a.rank() {
		return b
	}
	return a
}

// pillTone returns the worst of six inputs (HL-22). An unknown word is grey
// (Invariant 8).
func pillTone(in *Input, d health.Disposition) Tone {
	a := &in.Snapshot.Axes
	tone := worse(stateTone(in.Snapshot.State), dispositionTone(d))
	tone = worse(tone, freshnessTone(a.Freshness))
	tone = worse(tone, outboxTone(a.Outbox))
	if in.requestOpen() || in.collectionBlocked() {
		tone = worse(tone, Amber)
	}
	if in.CannotBegin {
		tone = worse(tone, Red) // whether its owner is asked, or its schedule paused, or neither
	}
	if in.requestOpen() && in.givenUp() {
		tone = worse(tone, Red) // a request does not hide that nothing runs it any more
	}
	for i := range in.Streams {
		if s := &in.Streams[i]; s.Priority != AcceptedAbsence {
			tone = worse(tone, coverageTone(s.Coverage))
		}
	}
	return tone
}

func stateTone(s health.State) Tone {
	switch s {
	case health.StateHealthy, health.StateIdle:
		return Green
	case health.StateDegraded, health.StateCoolingOff, health.StateNeedsAttention:
		return Amber
	case health.StateBlocked:
		return Red
	}
	return Grey
}

func coverageTone(a health.CoverageAxis) Tone {
	switch a {
	case health.CoverageComplete, health.CoverageDeferred, health.CoverageInventoryOnly:
		return Green
	case health.CoveragePartial, health.CoverageGaps, health.CoverageRetryableGap:
		return Amber
	case health.CoverageTerminalGap, health.CoverageUnsupported, health.CoverageUnavailable:
		return Red
	}
	return Grey
}

// freshnessTone keeps staleness out of the pill: staleness has an annotation and, if
// the owner can act, its own action (HL-22.1).
func freshnessTone(a health.FreshnessAxis) Tone {
	if a == health.FreshnessFresh || a == health.FreshnessStale {
		return Green
	}
	return Grey
}

func dispositionTone(d health.Disposition) Tone {
	switch d {
	case health.DispositionComplete, health.DispositionOwnerRefreshDue:
		return Green
	case health.DispositionResumable, health.DispositionAwaitingOwner:
		return Amber
	case health.DispositionTerminal:
		return Red
	}
	return Grey
}

// outboxTone returns the outbox's tone: only a stall affects collection. Unknown is
// the normal state of a connection without an outbox.
func outboxTone(a health.OutboxState) Tone {
	if a == health.OutboxStalled {
		return Red
	}
	return Green
}
