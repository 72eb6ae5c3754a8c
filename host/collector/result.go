package collector

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/completeness"
	"github.com/pdpp-host/pdpp-host/host/collector/delivery"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// RunRequest is one execution to make: recover, drain, scan, drain, prune.
type RunRequest struct {
	Module     *plugin.File
	Refused    error // why there is no module to run; nil: there is one
	Streams    []string
	Mode       string // abi.ModeIncremental when empty
	Roots      map[string]string
	Options    map[string]string
	AcceptRoot bool
	// AcceptDeletions is the owner's word that any number of records may be deleted that a whole list
	// of the source no longer has.
	AcceptDeletions bool
	Timeout         time.Duration
	Force           bool
}

// How an execution ended (LC-05.2).
const (
	OutcomeComplete   = "complete"
	OutcomeGaps       = "complete_with_gaps"
	OutcomeBacklog    = "retryable_backlog"
	OutcomeDeadLetter = "dead_letter"
	OutcomeFailed     = "failed"      // the scan failed; what it had collected is delivered
	OutcomeCancelled  = "interrupted" // the owner stopped it; what it had enqueued stays
)

// RunResult is how an execution ended.
type RunResult struct {
	Object           string               `json:"object"` // local_collector_run
	SourceInstanceID string               `json:"source_instance_id"`
	ConnectorID      string               `json:"connector_id"`
	Outcome          string               `json:"outcome"`
	LifecycleState   string               `json:"lifecycle_state"`
	SkippedScan      bool                 `json:"skipped_scan_for_backlog"`
	BudgetReached    bool                 `json:"scan_budget_reached"`
	Since            string               `json:"collects_since,omitempty"` // RFC 3339: the host wants nothing older
	StartsOver       bool                 `json:"scan_starts_over"`         // before its first checkpoint: the next run begins where this one began
	Recovered        int64                `json:"leases_recovered"`
	Requeued         int64                `json:"dead_letters_requeued"`
	Delivered        delivery.Delivered   `json:"delivered"`
	PrunedSent       PrunedSent           `json:"prunedSent"`  //nolint:tagliatelle // the protocol names it so
	RunsPruned       int64                `json:"runs_pruned"` // of the lane's own history
	Outbox           Counts               `json:"outbox"`      // after the prune
	Completeness     *completeness.Report `json:"completeness,omitempty"`
	Delivery         *Problem             `json:"delivery_problem,omitempty"` // why delivery stopped before everything was sent
	Heartbeat        *Problem             `json:"heartbeat_problem,omitempty"`
	Run              *run.Result          `json:"run,omitempty"` // nil: nothing was scanned

	stay int64 // how many of the lane's gaps stay missing, whoever does what
}

// PrunedSent is what the automatic prune did (LC-09.1).
type PrunedSent struct {
	Enabled bool  `json:"enabled"`
	Matched int64 `json:"matched"`
	Pruned  int64 `json:"pruned"`
}

// Problem is why something could not be done, in the parts of an error.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}
