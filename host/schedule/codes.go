package schedule

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of this package's refusals.
const (
	CodeServing     abi.Code = "serve.already_running" // another process schedules this data folder
	CodeServingLost abi.Code = "serve.taken_over"      // another process has taken over the data folder
)

// Reason is why a connection was not run automatically.
type Reason string

// The reasons of a skip.
const (
	ReasonOnDevice     Reason = "on_device" // a device collects it, and delivers here
	ReasonPaused       Reason = "policy_paused"
	ReasonUnsafe       Reason = "policy_background_unsafe"
	ReasonManual       Reason = "policy_manual_only"
	ReasonNotReady     Reason = "not_ready"           // a requirement is missing: a folder, the module
	ReasonAttention    Reason = "attention"           // its owner has to act first
	ReasonCoolingDown  Reason = "source_pressure"     // the source refused requests, or was unavailable
	ReasonBackingOff   Reason = "failing"             // it failed repeatedly in the same way
	ReasonGivenUp      Reason = "failing_for_good"    // it failed so often that only its owner can run it again
	ReasonRunning      Reason = "running"             // another process runs it
	ReasonNotDue       Reason = "not_due"             //
	ReasonUnresolvable Reason = "facts_not_available" // facts for the decision could not be read
)
