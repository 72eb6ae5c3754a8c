package health

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// StoredFault says that runs ended over the connector's own fault, one after another
// and with the same module.
type StoredFault struct {
	Module string `json:"module"` // its sha256
	Reason Word   `json:"reason"` // of the last
	Times  int64  `json:"times"`
}

// faultyAfter is from how many such runs on a connector needs a fix: a single one may
// have met data that is not there any more.
const faultyAfter = 2

// After returns the fault as it is once a run has ended. A run that got to its end,
// even to say that it failed, ends the row; one that was ended for another reason says
// nothing of the connector.
func (f *StoredFault) After(status Word, reason abi.Reason, code, module string) *StoredFault {
	switch {
	case status == Word(RunSucceeded), reason == abi.ReasonConnectorReportedFailed:
		return nil
	case status != Word(RunFailed) || !ownFault(reason, abi.Code(code)):
		return f
	case f == nil || f.Module != module:
		return &StoredFault{Module: module, Reason: Word(reason), Times: 1}
	}
	return &StoredFault{Module: module, Reason: Word(reason), Times: min(f.Times+1, faultyAfter)} // how many more says nothing more
}

// ownFault reports whether nobody but the connector can have ended a run so: it broke
// the protocol, or ended without a word. What a run takes of time, memory and output is
// not its doing alone, since the host sets the limits, and neither is a worker that is
// lost.
func ownFault(reason abi.Reason, code abi.Code) bool {
	switch reason {
	case abi.ReasonProtocolViolation:
		return code == abi.CodeGuestExit || code == abi.CodeGuestTrap || strings.HasPrefix(string(code), "boundary.")
	case abi.ReasonExitWithoutDone:
		return code == abi.CodeGuestTrap || code == abi.CodeGuestExit
	}
	return false
}

// faulty returns what the connector's own fault keeps from being collected, in the
// words of a known gap; nil when it needs no fix, or another module is accepted since.
func (s *Stored) faulty() []KnownGap {
	f := s.Fault
	if f == nil || f.Times < faultyAfter || s.Manifest != nil && s.Manifest.Module != "" && s.Manifest.Module != f.Module {
		return nil
	}
	return []KnownGap{{Kind: "connector_fault", Severity: "actionable", Reason: f.Reason}}
}
