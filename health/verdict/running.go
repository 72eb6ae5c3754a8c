package verdict

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// sourcePressure is the scheduler's word for a source that asked for less.
const sourcePressure health.Word = "source_pressure"

// coolsDown reports whether the source asked for less. Until that is over no run
// begins, the owner's own no more than a scheduled one; a back-off after failures
// stands in no owner's way.
func (in *Input) coolsDown() bool {
	s := &in.Snapshot
	return s.State == health.StateCoolingOff && (s.ReasonCode == sourcePressure || abi.Reason(s.ReasonCode).IsSourcePressure())
}

// halted reports whether what would run the connection does not (HL-28). A run that
// is going on is not over for that, and who runs it by hand needs nothing else.
func (in *Input) halted() bool {
	return !in.RuntimeOK && !in.Snapshot.Badges.Syncing && !in.scheduleIs(ScheduleManual)
}

// byOwner reports whether nothing is known to run it but its owner.
func (in *Input) byOwner() bool {
	s := &in.Snapshot
	return !s.Badges.Syncing && (in.scheduleIs(ScheduleManual) || in.scheduleIs(ScheduleOnDevice) && s.Axes.Outbox != health.OutboxActive)
}

// leftAlone reports whether the data has gone stale and nothing is known to bring it
// up to date but its owner (HL-29).
func (in *Input) leftAlone(d health.Disposition) bool {
	s := &in.Snapshot
	switch {
	case s.Axes.Freshness != health.FreshnessStale:
		return false
	case d != health.DispositionComplete && d != health.DispositionChecking:
		return false
	case s.State != health.StateDegraded && s.State != health.StateIdle: // another matter goes first
		return false
	}
	return in.byOwner()
}
