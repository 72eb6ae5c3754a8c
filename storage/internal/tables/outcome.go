package tables

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Withheld is a staged cursor that was not committed, and why.
type Withheld struct {
	Stream string `json:"stream"`
	Reason string `json:"reason"`
}

// RunError says why a run did not succeed.
type RunError struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Hint         string `json:"hint,omitempty"`
	Retryable    bool   `json:"retryable"`
	RecoveryHint string `json:"recovery_hint,omitempty"`
	// Cause is what kept the service from answering well, and Place the host that it
	// did so at.
	Cause abi.Cause `json:"cause,omitempty"`
	Place string    `json:"place,omitempty"`
	// Submitted: a secret of the owner's was sent to a site, which had not let the run in. A run
	// that has not ended has it, too: it says how the run ends if its host is killed.
	Submitted bool `json:"submitted,omitempty"`
}

// FailureOf returns why a run failed; nothing where that cannot be read, and the
// host's own reason stands.
func FailureOf(row *RunRow) (failure RunError) {
	if row.Error != "" && json.Unmarshal([]byte(row.Error), &failure) != nil {
		return RunError{}
	}
	return failure
}

// Refused reports whether the run never began.
func (r *RunRow) Refused() bool {
	return r.Status == StatusFailed && r.Reason == string(abi.ReasonRunRefused)
}

// Uncollected is one thing that a run knows it did not collect.
type Uncollected struct {
	Kind         string          `json:"kind"`
	Stream       string          `json:"stream"`
	Severity     string          `json:"severity"`
	Reason       string          `json:"reason"`
	Message      string          `json:"message"`
	RecoveryHint string          `json:"recovery_hint"`
	Diagnostics  json.RawMessage `json:"diagnostics,omitempty"`
}

// Retryable reports whether a later run collects it by itself.
func (g *Uncollected) Retryable() bool {
	switch g.RecoveryHint {
	case "retry_by_runtime", "upstream_unblock":
		return true
	case "":
		return g.Severity == "transient" || g.Severity == "recoverable"
	}
	return false
}
