package stored

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Stop is what stopped a run.
type Stop struct {
	Cause abi.Cause `json:"cause"`
	Place string    `json:"place,omitempty"` // the service's host, with its port unless that is 443
}

// RunCause returns the cause of an unsuccessful run from its reason and its error; nil
// if none is known. The error may come from a device, so only the network's causes and
// a host's name are taken from it.
func RunCause(reason abi.Reason, code abi.Code, said abi.Cause, place string) *Stop {
	switch {
	case code == abi.CodeStoreFull:
		return &Stop{Cause: abi.CauseDiskFull}
	case code == abi.CodeWorkerLost:
		return &Stop{Cause: abi.CauseWorkerKilled}
	case reason == abi.ReasonHostRestarted:
		return &Stop{Cause: abi.CauseHostStopped}
	case crashed(reason, code):
		return &Stop{Cause: abi.CauseConnectorCrashed}
	case reason == abi.ReasonConnectorReportedFailed && said.OfNetwork():
		return &Stop{Cause: said, Place: hostName(place)}
	}
	return nil
}

// crashed reports whether the connector's code ended by itself and without a message.
// A broken protocol is not a crash.
func crashed(reason abi.Reason, code abi.Code) bool {
	return ownFault(reason, code) && (code == abi.CodeGuestTrap || code == abi.CodeGuestExit)
}

// mostHostName is the maximum length of a host's name with a port (RFC 1035, section
// 2.3.4).
const mostHostName = 253 + len(":65535")

// hostName returns a host that may be shown; "" if place is not one.
func hostName(place string) string {
	if len(place) > mostHostName || strings.ContainsFunc(place, func(r rune) bool {
		return !strings.ContainsRune("-._:[]", r) && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return ""
	}
	return place
}

// Failure returns the run whose failure is what keeps the connection from being collected now;
// nil if there is none. A refusal since, or a device that is gone, is the cause in its place.
func (s *Facts) Failure() *Run {
	run := s.decidingRun()
	if run == nil || run.Status != health.Word(health.RunFailed) || run.Refused || s.refusal() != "" || s.hasNoDevice() {
		return nil
	}
	return run
}

// Cause is what prevents the collection of a connection, according to its last run.
type Cause struct {
	Cause abi.Cause `json:"cause"`
	Place string    `json:"place,omitempty"` // see Stop
	RunID string    `json:"run_id"`
}

// Cause returns the cause; nil if the last run succeeded, or the cause is unknown.
func (s *Facts) Cause(m Moment) *Cause {
	settled := s.decidingRun()
	switch {
	case s.interrupted(m) && m.DiskFull:
		return &Cause{Cause: abi.CauseDiskFull, RunID: s.Latest.ID} // the full disk kept the run from recording its end
	case s.interrupted(m) && !m.HolderAlive && s.Latest.Device == "":
		return &Cause{Cause: abi.CauseHostStopped, RunID: s.Latest.ID}
	case s.interrupted(m), settled == nil, settled.Cause == nil:
		return nil
	}
	return &Cause{Cause: settled.Cause.Cause, Place: settled.Cause.Place, RunID: settled.ID}
}
