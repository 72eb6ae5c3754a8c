package schedule

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of what this package refuses.
const (
	CodeServing     abi.Code = "serve.already_running" // another process schedules this data folder
	CodeServingLost abi.Code = "serve.taken_over"      // another process has taken the data folder over
)

// Reason says why a connection was not run by itself.
type Reason string

// The reasons of a skip.
const (
	ReasonOnDevice     Reason = "on_device" // a device collects it, and delivers here
	ReasonPaused       Reason = "policy_paused"
	ReasonUnsafe       Reason = "policy_background_unsafe"
	ReasonManual       Reason = "policy_manual_only"
	ReasonNotReady     Reason = "not_ready"           // a prerequisite is missing: a folder, the module
	ReasonAttention    Reason = "attention"           // its owner has to do something first
	ReasonCoolingDown  Reason = "source_pressure"     // the source refused requests, or was away
	ReasonBackingOff   Reason = "failing"             // it failed the same way again and again
	ReasonGivenUp      Reason = "failing_for_good"    // so often that only its owner runs it again
	ReasonRunning      Reason = "running"             // another process runs it
	ReasonNotDue       Reason = "not_due"             //
	ReasonUnresolvable Reason = "facts_not_available" // what the decision needs could not be read
)
