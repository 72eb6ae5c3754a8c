package health

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// StoredCause says what kept a run from its end.
type StoredCause struct {
	Cause abi.Cause `json:"cause"`
	Place string    `json:"place,omitempty"` // the service's host, and its port where that is not 443
}

// RunCause is the cause of a run that did not succeed, from its reason and its error;
// nil when none is known. What the error itself says may come from a device and is not
// believed beyond the network's causes and a host's name.
func RunCause(reason abi.Reason, code abi.Code, said abi.Cause, place string) *StoredCause {
	switch {
	case code == abi.CodeStoreFull:
		return &StoredCause{Cause: abi.CauseDiskFull}
	case code == abi.CodeWorkerLost:
		return &StoredCause{Cause: abi.CauseWorkerKilled}
	case reason == abi.ReasonHostRestarted:
		return &StoredCause{Cause: abi.CauseHostStopped}
	case crashed(reason, code):
		return &StoredCause{Cause: abi.CauseConnectorCrashed}
	case reason == abi.ReasonConnectorReportedFailed && said.OfNetwork():
		return &StoredCause{Cause: said, Place: hostName(place)}
	}
	return nil
}

// crashed reports whether the connector's code came to its end by itself and without a
// word, which a broken protocol is not.
func crashed(reason abi.Reason, code abi.Code) bool {
	return ownFault(reason, code) && (code == abi.CodeGuestTrap || code == abi.CodeGuestExit)
}

// mostHostName is how long a host's name is, with a port (RFC 1035, section 2.3.4).
const mostHostName = 253 + len(":65535")

// hostName is a host as it may be shown; "" when it is none.
func hostName(place string) string {
	if len(place) > mostHostName || strings.ContainsFunc(place, func(r rune) bool {
		return !strings.ContainsRune("-._:[]", r) && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return ""
	}
	return place
}

// Cause is what keeps a connection from being collected, as far as its last run tells.
type Cause struct {
	Cause abi.Cause `json:"cause"`
	Place string    `json:"place,omitempty"` // see StoredCause
	RunID string    `json:"run_id"`
}

// Cause returns it; nil when the last run succeeded, or nobody knows.
func (s *Stored) Cause(m Moment) *Cause {
	settled := s.settled()
	switch {
	case s.interrupted(m) && m.DiskFull:
		return &Cause{Cause: abi.CauseDiskFull, RunID: s.Latest.ID} // it could not even be told
	case s.interrupted(m) && !m.HolderAlive && s.Latest.Device == "":
		return &Cause{Cause: abi.CauseHostStopped, RunID: s.Latest.ID}
	case s.interrupted(m), settled == nil, settled.Cause == nil:
		return nil
	}
	return &Cause{Cause: settled.Cause.Cause, Place: settled.Cause.Place, RunID: settled.ID}
}
