package api

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// commitVersion is the version of a run's end that this host reads.
const commitVersion = 1

// The words of a run's end.
var (
	runStatuses = []string{abi.DoneSucceeded, abi.DoneFailed, abi.DoneCancelled}
	runModes    = []string{abi.ModeIncremental, abi.ModeFullRefresh, abi.ModeBackfill}
	severities  = []string{"informational", "transient", "recoverable", "actionable"}
)

// Limits of a run's end, those of a local run's (runtime contract, section 9)
// with room for one more gap that counts the rest. Diagnostics are 8 KiB as their
// connector wrote them, and on the way each of their characters may be an escape.
const (
	maxKnownGaps      = 64
	maxGapDiagnostics = 6 * 8 << 10
	maxFacts          = 1000
)

// knownGap is run.KnownGap, whose room this one cannot see.
type knownGap struct {
	Kind         string          `json:"kind"`
	Reason       string          `json:"reason"`
	Severity     string          `json:"severity"`
	Stream       string          `json:"stream"`
	Message      string          `json:"message"`
	RecoveryHint string          `json:"recovery_hint"`
	Diagnostics  json.RawMessage `json:"diagnostics"`
	Count        int64           `json:"count"`
}

// checkRun holds a run's end to the words and limits that a local run keeps. Cursors and
// facts name streams of the manifest; the store leaves out anything else that names a stream
// the manifest does not have. Times are the device's, and the store's to weigh: a clock that
// is wrong must not hold a run back for ever. plain says that the outcome is this host's, for
// a collector that sends none.
func checkRun(q *device.RunCommit, m *abi.Manifest, plain bool) error {
	o := &q.Outcome
	switch {
	case q.Version != commitVersion:
		return wrong("version", "must be "+strconv.Itoa(commitVersion))
	case !isID(q.CommitID):
		return wrong("commit_id", "must be a short id")
	case !isID(q.RunID):
		return wrong("run_id", "must be a short id")
	case !slices.Contains(runStatuses, o.Status):
		return wrong("outcome.status", "is none of the contract's words")
	case !slices.Contains(runModes, o.Mode):
		return wrong("outcome.collection_mode", "is none of the contract's words")
	case !isLine(o.Reason, maxLine):
		return wrong("outcome.reason", "must be one short line")
	case !abi.SameConnector(o.Connector, m.ConnectorKey):
		return wrong("outcome.connector", "is not the source's")
	case !isLine(o.Version, maxLabel):
		return wrong("outcome.version", "must be one short line")
	case !device.IsSum256(o.ModuleSHA256) && (o.ModuleSHA256 != "" || !plain && !refused(o)):
		return wrong("outcome.module_sha256", "must be a SHA-256 in lower-case hex")
	case o.Status != abi.DoneSucceeded && len(q.StateDelta) > 0:
		return wrong("state_delta", "must be empty: the run did not succeed")
	}
	if len(o.Streams) > maxFacts || !allNames(o.Streams...) {
		return wrong("outcome.streams", "are too many, or hold what is no name")
	}
	if err := checkState("state_delta", m, q.StateDelta); err != nil {
		return err
	}
	if err := checkFacts(q.Facts, m); err != nil {
		return err
	}
	if err := checkFailure(o); err != nil {
		return err
	}
	if err := checkKnownGaps(o.KnownGaps); err != nil {
		return err
	}
	if err := checkWithheld(o.Withheld, m); err != nil {
		return err
	}
	return checkCoverage(o.Coverage)
}

// refused reports whether the run was refused before it began, for which there need
// not be a module.
func refused(o *device.Outcome) bool {
	return o.Status == abi.DoneFailed && o.Reason == string(abi.ReasonRunRefused)
}

func checkFacts(facts []device.TerminalFact, m *abi.Manifest) error {
	if len(facts) > maxFacts {
		return wrong("terminal_facts", "are too many")
	}
	for _, f := range facts {
		if !declares(m, f.Stream) {
			return wrong("terminal_facts", "name a stream that the manifest does not have")
		}
		if f.CoverageStatuses == nil {
			return wrong("terminal_facts", "hold one without its list coverage_statuses")
		}
		for _, word := range f.CoverageStatuses {
			if !device.IsCoverageStatus(word) {
				return wrong("terminal_facts", "hold a status that is none of the contract's")
			}
		}
	}
	return nil
}

func checkFailure(o *device.Outcome) error {
	if none(o.Error) {
		return nil
	}
	const param = "outcome.error"
	var e storage.RunError
	switch {
	case o.Status == abi.DoneSucceeded:
		return wrong(param, "is forbidden on success")
	case json.Unmarshal(o.Error, &e) != nil:
		return wrong(param, "has the wrong form")
	case !isText(e.Code, e.Message, e.Hint, e.RecoveryHint):
		return wrong(param, "holds a text that is too long")
	}
	return nil
}

func checkKnownGaps(raw json.RawMessage) error {
	if none(raw) {
		return nil
	}
	const param = "outcome.known_gaps"
	var gaps []knownGap
	if json.Unmarshal(raw, &gaps) != nil {
		return wrong(param, "have the wrong form")
	}
	if len(gaps) > maxKnownGaps {
		return wrong(param, "are too many")
	}
	for i := range gaps {
		g := &gaps[i]
		switch {
		case !isWord(g.Kind) || !slices.Contains(severities, g.Severity) || !isCount(g.Count):
			return wrong(param, "hold a word that is none of the contract's, or a count below 0")
		case !isText(g.Reason, g.Message, g.RecoveryHint) || len(g.Diagnostics) > maxGapDiagnostics:
			return wrong(param, "hold a text that is too long")
		case g.Stream != "" && !allNames(g.Stream):
			return wrong(param, "hold a stream that is no name")
		}
	}
	return nil
}

func checkWithheld(raw json.RawMessage, m *abi.Manifest) error {
	if none(raw) {
		return nil
	}
	const param = "outcome.withheld"
	var withheld []storage.Withheld
	if json.Unmarshal(raw, &withheld) != nil {
		return wrong(param, "has the wrong form")
	}
	for _, w := range withheld {
		if !declares(m, w.Stream) || !isLine(w.Reason, maxLine) {
			return wrong(param, "names a stream that the manifest does not have, or a reason that is too long")
		}
	}
	return nil
}

func checkCoverage(lanes []device.Coverage) error {
	const param = "outcome.coverage"
	if len(lanes) > maxFacts {
		return wrong(param, "is too much")
	}
	for _, l := range lanes {
		switch {
		case !allNames(l.Stream, l.StateStream):
			return wrong(param, "holds a stream that is no name")
		case !isCount(l.Required, l.Hydrated, l.Gaps, l.Skipped),
			l.Considered != nil && !isCount(*l.Considered), l.Covered != nil && !isCount(*l.Covered):
			return wrong(param, "must hold counts")
		}
	}
	return nil
}

// none reports whether a raw field is absent.
func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
