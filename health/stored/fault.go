package stored

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Fault records that consecutive runs with the same module ended over the
// connector's own fault.
type Fault struct {
	Module string      `json:"module"` // its sha256
	Reason health.Word `json:"reason"` // the last run's reason
	Times  int64       `json:"times"`
}

// faultyAfter is the number of such runs from which a connector needs a fix: a single
// one may have met data that no longer exists.
const faultyAfter = 2

// After returns the fault after another run has ended. A run that completed, even with
// a failure that it reported, resets it. A run that ended for another reason leaves it
// as it is.
func (f *Fault) After(status health.Word, reason abi.Reason, code, module string) *Fault {
	switch {
	case status == health.Word(health.RunSucceeded), reason == abi.ReasonConnectorReportedFailed:
		return nil
	case status != health.Word(health.RunFailed) || !ownFault(reason, abi.Code(code)):
		return f
	case f == nil || f.Module != module:
		return &Fault{Module: module, Reason: health.Word(reason), Times: 1}
	}
	return &Fault{Module: module, Reason: health.Word(reason), Times: min(f.Times+1, faultyAfter)} // higher counts have no meaning
}

// ownFault reports whether only the connector can have caused such an end: it broke
// the protocol, or ended without a message. Exceeding time, memory or output is not
// its fault alone, since the host sets the limits; neither is a lost worker.
func ownFault(reason abi.Reason, code abi.Code) bool {
	switch reason {
	case abi.ReasonProtocolViolation:
		return code == abi.CodeGuestExit || code == abi.CodeGuestTrap || strings.HasPrefix(string(code), "boundary.")
	case abi.ReasonExitWithoutDone:
		return code == abi.CodeGuestTrap || code == abi.CodeGuestExit
	}
	return false
}

// faultGaps returns the known gap that the connector's own fault leaves; nil if it needs
// no fix, or another module was accepted since.
func (s *Facts) faultGaps() []health.KnownGap {
	f := s.Fault
	if f == nil || f.Times < faultyAfter || s.Manifest != nil && s.Manifest.Module != "" && s.Manifest.Module != f.Module {
		return nil
	}
	return []health.KnownGap{{Kind: "connector_fault", Severity: "actionable", Reason: f.Reason}}
}
