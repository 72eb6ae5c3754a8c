package view

// Runtime is the state of the infrastructure behind the connections. Its fault is
// reported once, above the list, and not for each connection (HL-28).
type Runtime struct {
	OK bool `json:"ok"`
	// Fault names the component at fault: scheduler_stopped, scheduler_absent,
	// browser_down, collector_offline. "" while OK.
	Fault string `json:"fault,omitempty"`
}

// Indicator returns the one line above the list, "" while there is nothing to report.
func (r Runtime) Indicator() string {
	if r.OK {
		return ""
	}
	if text, ok := faults[r.Fault]; ok {
		return text
	}
	return "What runs the connections is not working; nothing is collected until it is."
}

var faults = map[string]string{
	"scheduler_stopped": "The scheduler has stopped; nothing is collected until it runs again.",
	"scheduler_absent":  "No scheduler runs, and runs are missed; nothing is collected by itself until one does.",
	"browser_down":      "The browser that connectors use is down; those that need it wait until it is back.",
	"collector_offline": "The collector's device is offline; what it holds comes in when it is back.",
}
