package view

import "slices"

// Runtime is the state of the infrastructure behind the connections. Its fault is
// reported once, above the list, and not for each connection (HL-28).
type Runtime struct {
	OK bool `json:"ok"`
	// Fault names the component at fault, one of the Fault constants. "" while OK.
	Fault string `json:"fault,omitempty"`
}

// The faults of a runtime. The first one that holds is told: under a full disk nothing
// else that is wrong says more.
const (
	FaultDiskFull         = "disk_full"
	FaultStoreReadOnly    = "store_read_only"
	FaultStoreRefuses     = "store_refuses"
	FaultClockBack        = "clock_back"
	FaultSchedulerUnheard = "scheduler_unheard"
	FaultSchedulerStopped = "scheduler_stopped"
	FaultSchedulerAbsent  = "scheduler_absent"
)

// Indicator returns the one line above the list, "" while there is nothing to report.
func (r Runtime) Indicator() string {
	if r.OK {
		return ""
	}
	if f, ok := faults[r.Fault]; ok {
		return f.text
	}
	return "What runs the connections is not working; nothing is collected until it is."
}

// Advice returns what the owner can do about it, "" while there is nothing to report.
func (r Runtime) Advice() string {
	if r.OK {
		return ""
	}
	return faults[r.Fault].advice
}

// RefusesRuns reports whether no run can begin, by hand either, until it is put right.
func (r Runtime) RefusesRuns() bool {
	return !r.OK && slices.Contains([]string{FaultDiskFull, FaultStoreReadOnly, FaultStoreRefuses}, r.Fault)
}

var faults = map[string]struct{ text, advice string }{
	FaultDiskFull: {
		"The disk that holds the data is full; nothing is collected until it has room.",
		"Free space on it, or delete what is not needed any more and give its room back: pdpp-host store compact",
	},
	FaultStoreReadOnly: {
		"The data folder cannot be written to; nothing is collected until it can be.",
		"Make it writable for the user that runs pdpp-host, or copy it to a disk that can be written to.",
	},
	FaultStoreRefuses: {
		"The store takes no writes; nothing is collected until it does.",
		"See what is wrong with it: pdpp-host doctor",
	},
	FaultClockBack: {
		"The clock of this machine went back; what is due, and what a service asked to wait for, is counted anew from there.",
		"Check that it is right.",
	},
	FaultSchedulerUnheard: {
		"What runs the connections has not been heard of for over a minute; it hangs, or the store takes none of its writes.",
		"Read its log, and start it again if it stays like this.",
	},
	FaultSchedulerStopped: {"The scheduler has stopped; nothing is collected until it runs again.", "Start it: pdpp-host serve"},
	FaultSchedulerAbsent:  {"No scheduler runs, and runs are missed; nothing is collected by itself until one does.", "Start it: pdpp-host serve"},
	"browser_down":        {"The browser that connectors use is down; those that need it wait until it is back.", ""},
	"collector_offline":   {"The collector's device is offline; what it holds comes in when it is back.", ""},
}
