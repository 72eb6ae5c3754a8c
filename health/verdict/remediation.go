package verdict

import "github.com/pdpp-host/pdpp-host/health"

// Remediation describes how to recover a local collector, in the owner's words and
// with commands that hold no secret: no address, no token, no path. Their only
// parameter is the source instance, which the surface fills in from the bindings
// (HL-23.10).
type Remediation struct {
	Kind     string            `json:"kind"`
	Cause    string            `json:"cause"`
	Label    string            `json:"label"`
	Summary  string            `json:"summary"`
	Target   RemediationTarget `json:"target"`
	Commands []Command         `json:"commands"` // in order
}

// RemediationTarget says where the commands run, and where a surface finds the
// identity that they need.
type RemediationTarget struct {
	Kind           string `json:"kind"`
	IdentitySource string `json:"identity_source"`
}

// Command is one command to copy, and why to run it.
type Command struct {
	Kind            string `json:"kind"` // run, preview, apply, diagnose
	Label           string `json:"label"`
	Purpose         string `json:"purpose"`
	CommandTemplate string `json:"command_template"`
}

// The words shared by all recoveries of a local collector.
const (
	RecoveryKind      = "local_collector_recovery"
	TargetLocalDevice = "local_device"
	SourceBindings    = "source_instance_bindings"
	// CauseUnknown is the cause of a stall for which none is given.
	CauseUnknown = "stalled_unknown"
	// SourceInstance is the parameter of a command template.
	SourceInstance = "{source_instance_id}"
)

// recovery describes how to recover from one cause of a stall.
type recovery struct {
	cause               string
	cta, label, summary line
	commands            []Command
}

var (
	runCollector = Command{
		"run", "Run the collector", "Runs the collector once on the host that holds the data, so that it reads its state and sends what is saved.",
		"pdpp-local-collector run --source-instance-id " + SourceInstance,
	}
	previewRecovery = Command{
		"preview", "See what would be sent", "Shows what did not upload and what would be done, and changes nothing.",
		"pdpp-local-collector recover --source-instance-id " + SourceInstance,
	}
	applyRecovery = Command{
		"apply", "Send it", "Queues the failed uploads again, if there are any, and runs the collector once.",
		"pdpp-local-collector recover --source-instance-id " + SourceInstance + " --apply",
	}
	diagnose = Command{
		"diagnose", "Check the collector", "Shows the state of the collector on the host that holds the data, and changes nothing.",
		"pdpp-local-collector status --source-instance-id " + SourceInstance,
	}
)

var (
	recoverStateRead    = recovery{"state_read_failed", ctaStateRead, labelRun, summaryStateRead, []Command{runCollector}}
	recoverDeadLetter   = recovery{"dead_letter_backlog", ctaUploads, labelUploads, summaryUploads, []Command{previewRecovery, applyRecovery}}
	recoverStalePending = recovery{"stale_pending", ctaStalePending, labelRun, summaryStalePending, []Command{runCollector}}
	recoverUnknown      = recovery{CauseUnknown, ctaStalled, labelCheck, summaryStalled, []Command{diagnose}}
)

// recoveries maps the reasons of both conditions that name a cause.
var recoveries = map[health.Word]*recovery{
	"local_exporter_state_read_failed":   &recoverStateRead,
	"outbox_state_read_failed":           &recoverStateRead,
	"local_exporter_dead_letter_backlog": &recoverDeadLetter,
	"outbox_dead_letter_backlog":         &recoverDeadLetter,
	"local_exporter_stale_pending":       &recoverStalePending,
	"outbox_stale_pending":               &recoverStalePending,
}

// stall is the cause of a stalled outbox and its recovery.
type stall struct {
	reason   health.Word
	recovery *recovery
}

// stall reads the cause from the conditions and never guesses one.
func (in *Input) stall() stall {
	why := stall{"", &recoverUnknown}
	for _, t := range [...]health.Type{health.LocalExporterAvailable, health.BacklogClear} {
		c := in.condition(t)
		if c == nil || c.Status != health.False {
			continue
		}
		if r := recoveries[c.Reason]; r != nil {
			return stall{c.Reason, r}
		}
		if why.reason == "" {
			why.reason = c.Reason
		}
	}
	return why
}

func remediation(r *recovery) *Remediation {
	return &Remediation{
		Kind: RecoveryKind, Cause: r.cause, Label: r.label.text(), Summary: r.summary.text(),
		Target:   RemediationTarget{TargetLocalDevice, SourceBindings},
		Commands: append([]Command(nil), r.commands...),
	}
}
