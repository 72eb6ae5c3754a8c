package verdict

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// sourcePressure is the scheduler's word for a source that asked for fewer requests.
const sourcePressure health.Word = "source_pressure"

// coolsDown reports whether the source asked for fewer requests. Until the cooldown
// ends neither a scheduled nor an owner's run begins; a back-off after failures does
// not stop the owner.
func (in *Input) coolsDown() bool {
	s := &in.Snapshot
	return s.State == health.StateCoolingOff && (s.ReasonCode == sourcePressure || abi.Reason(s.ReasonCode).IsSourcePressure())
}

// halted reports whether nothing runs the connection although something should
// (HL-28). A run in progress continues, and a connection that its owner runs needs no
// scheduler.
func (in *Input) halted() bool {
	return !in.RuntimeOK && !in.Snapshot.Badges.Syncing && !in.scheduleIs(ScheduleManual)
}

// byOwner reports whether only its owner is known to run it.
func (in *Input) byOwner() bool {
	s := &in.Snapshot
	return !s.Badges.Syncing && (in.scheduleIs(ScheduleManual) || in.scheduleIs(ScheduleOnDevice) && s.Axes.Outbox != health.OutboxActive)
}

// staleWithoutRuns reports whether the data is stale and only its owner is known to be able
// to refresh it (HL-29).
func (in *Input) staleWithoutRuns(d health.Disposition) bool {
	s := &in.Snapshot
	switch {
	case s.Axes.Freshness != health.FreshnessStale:
		return false
	case d != health.DispositionComplete && d != health.DispositionChecking:
		return false
	case s.State != health.StateDegraded && s.State != health.StateIdle: // another problem comes first
		return false
	}
	return in.byOwner()
}
