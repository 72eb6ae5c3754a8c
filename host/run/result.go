package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Run statuses, as they are stored and shown.
const (
	StatusSucceeded = "succeeded"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// Result is how a run ended: the result of `run --json`.
type Result struct {
	RunID        string                  `json:"run_id"`
	ConnectionID string                  `json:"connection_id"`
	Connection   string                  `json:"connection"`
	Connector    string                  `json:"connector"`
	Version      string                  `json:"version"`
	ModuleSHA256 string                  `json:"module_sha256"`
	Mode         string                  `json:"collection_mode"`
	Status       string                  `json:"status"`
	Reason       string                  `json:"reason,omitempty"`
	Error        *Failure                `json:"error,omitempty"`
	Records      map[string]RecordCounts `json:"records"`
	Checkpoints  Checkpoints             `json:"checkpoints"`
	Gaps         []Gap                   `json:"gaps"`                // that this run found, or could not fill: the first 1,000
	GapsFound    int64                   `json:"gaps_found"`          // how many this run found, listed or not
	OpenGaps     []OpenGaps              `json:"open_gaps,omitempty"` // of its streams, including gaps of earlier runs
	KnownGaps    []KnownGap              `json:"known_gaps"`
	// Accounts count the items of the source that the connector met, by stream: those streams
	// of which it said so.
	Accounts []abi.StreamAccount `json:"accounts,omitempty"`
	// Files are what became of the files of the granted folders; nil: there are none, or the
	// run did not end by itself.
	Files        *plugin.Books     `json:"files,omitempty"`
	Interactions int               `json:"interactions"`
	Requests     abi.RequestCounts `json:"requests"`
	DurationMS   int64             `json:"duration_ms"`
	Roots        []ResolvedRoot    `json:"-"`
	Streams      []string          `json:"-"` // in the manifest's order
	Enumerated   []string          `json:"-"` // streams of which the connector opened an enumeration, in order
	Whole        []string          `json:"-"` // of these, those of which it said that nothing is left out
	Accounted    []string          `json:"-"` // streams whose details a DETAIL_COVERAGE accounted for, in order
	OwnerNeeded  bool              `json:"owner_needed,omitempty"`
}

// Failure says why a run did not succeed, in the three parts of an error.
type Failure struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Hint         string `json:"hint,omitempty"`
	Retryable    bool   `json:"retryable"`
	RecoveryHint string `json:"recovery_hint,omitempty"`
	// Cause is why a host of the service did not answer well, and Place is that host.
	Cause abi.Cause `json:"cause,omitempty"`
	Place string    `json:"place,omitempty"`
	Log   string    `json:"log,omitempty"` // the end of what the guest wrote to standard error

	submitted bool // a secret of the owner's was sent to a site, which has not let the run in since
}

// RecordCounts counts one stream's records of the run. Upserted is the sum of
// New and Changed. Rejected ones are not durable, nor are suppressed ones, which the owner
// has deleted here.
type RecordCounts struct {
	Upserted  int64 `json:"upserted"`
	New       int64 `json:"new"`
	Changed   int64 `json:"changed"`
	Deleted   int64 `json:"deleted"`
	Unchanged int64 `json:"unchanged"`
	Rejected  int64 `json:"rejected"`

	Suppressed int64 `json:"suppressed_by_owner,omitempty"`
}

// Checkpoints says which streams' cursors moved and which were held back.
type Checkpoints struct {
	Committed []string   `json:"committed"`
	Withheld  []Withheld `json:"withheld"`
}

// Withheld is one staged cursor that was not committed, and why.
type Withheld struct {
	Stream string `json:"stream"`
	Reason string `json:"reason"`
}

// Gap is one record whose detail is still to fetch.
type Gap struct {
	Stream string `json:"stream"`
	Key    string `json:"key"`
	Reason string `json:"reason"`
	Class  string `json:"class,omitempty"`
}

// OpenGaps counts the details of one stream that wait, at the end of the run, for
// one reason.
type OpenGaps struct {
	Stream      string     `json:"stream"`
	Reason      string     `json:"reason"`
	Class       string     `json:"class,omitempty"`
	Count       int64      `json:"count"`
	NextAttempt *time.Time `json:"next_attempt_at,omitempty"` // the earliest moment to try again; nil: at once
}

// Lacking returns what a stream's coverage_strategy promises and a run did not show, "" when it
// did: without it nothing says that the stream's records are all there is. files: the connector
// reads folders, of which the host knows by itself what was read.
func (r *Result) Lacking(st *abi.Stream, files bool) string {
	committed := func(stream string) bool { return slices.Contains(r.Checkpoints.Committed, stream) }
	switch st.CoverageStrategy {
	case "full_inventory":
		if !slices.Contains(r.Whole, st.Name) && (!files || !committed(st.Name)) {
			return "an enumeration that is said to be whole"
		}
	case "parent_detail_accounting":
		if !slices.Contains(r.Accounted, st.Name) {
			return "a DETAIL_COVERAGE"
		}
	case "checkpoint_window", "snapshot_import_receipt":
		if !committed(st.Name) && !slices.ContainsFunc(st.Parents(), committed) {
			return "a cursor"
		}
	}
	return "" // the record itself is the evidence of singleton_presence
}

// mostTold is how many unknown names one line of Told has.
const mostTold = 8

// Told says what the accounts of a stream have that no gap tells: texts of which a record has the
// beginning (AC-04), and names that the connector does not know (AC-05). nil: there is nothing to tell.
func Told(s *abi.StreamAccount) (lines []string) {
	if s.Cut > 0 {
		line := "1 text is longer than a record has room for, and its beginning was collected"
		if s.Cut > 1 {
			line = fmt.Sprintf("%d texts are longer than a record has room for, and their beginning was collected", s.Cut)
		}
		lines = append(lines, line)
	}
	if len(s.Unknown) > 0 {
		var names []string
		for _, u := range s.Unknown[:min(len(s.Unknown), mostTold)] {
			names = append(names, fmt.Sprintf("%s (%d)", u.Name, u.Count))
		}
		if more := len(s.Unknown) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		lines = append(lines, "names that this version of the connector does not know: "+strings.Join(names, ", "))
	}
	return lines
}

// tell keeps what Told says among the events of the run.
func (a *accounts) tell() error {
	for _, stream := range slices.Sorted(maps.Keys(a.streams)) {
		for _, line := range Told(a.streams[stream]) {
			if err := a.event("run.progress_reported", stream, map[string]any{"message": clip(line, maxGapText)}); err != nil {
				return err
			}
		}
	}
	return nil
}
