package tables

import (
	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// The rows of the evidence tables. Times are microseconds since 1970 UTC, 0 for
// none; JSON is text; absent text is "", so that no comparison meets a NULL.

// LeaseRow is kept between runs: its epoch only grows. RunID is "" when no run
// holds it.
type LeaseRow struct {
	bun.BaseModel `bun:"table:leases"`

	ConnectionID string `bun:"connection_id,pk"`
	Epoch        int64  `bun:"epoch"`
	RunID        string `bun:"run_id"`
	Holder       string `bun:"holder"`
	AcquiredUS   int64  `bun:"acquired_us"`
	ExpiresUS    int64  `bun:"expires_us"`
}

// RunRow is a row of runs.
type RunRow struct {
	bun.BaseModel `bun:"table:runs"`

	PK           int64  `bun:"pk,pk,autoincrement"`
	RunID        string `bun:"run_id"`
	ConnectionID string `bun:"connection_id"`
	Connector    string `bun:"connector"`
	Version      string `bun:"version"`
	ModuleSHA256 string `bun:"module_sha256"`
	Mode         string `bun:"mode"`
	Bookmark     string `bun:"bookmark"`
	Holder       string `bun:"holder"`
	Epoch        int64  `bun:"epoch"`
	Streams      string `bun:"streams"`
	Status       string `bun:"status"`
	Reason       string `bun:"reason"`
	Error        string `bun:"error"`
	Checkpoints  string `bun:"checkpoints"`
	Withheld     string `bun:"withheld"`
	KnownGaps    string `bun:"known_gaps"`
	Result       string `bun:"result"`
	Narrowed     bool   `bun:"narrowed"`
	StartedUS    int64  `bun:"started_us"`
	FinishedUS   int64  `bun:"finished_us"`
}

// StreamRow is a row of streams.
type StreamRow struct {
	bun.BaseModel `bun:"table:streams"`

	ID           int64  `bun:"id,pk,autoincrement"`
	ConnectionID string `bun:"connection_id"`
	Name         string `bun:"name"`
	Removed      int64  `bun:"removed"`
	Live         int64  `bun:"live"`
	Deleted      int64  `bun:"deleted"`
	LastSeq      int64  `bun:"last_seq"`
	Unlisted     int64  `bun:"rejected_unlisted"`
}

// RunStreamRow is a row of run_streams.
type RunStreamRow struct {
	bun.BaseModel `bun:"table:run_streams"`

	RunPK     int64 `bun:"run_pk,pk"`
	StreamID  int64 `bun:"stream_id,pk"`
	Added     int64 `bun:"added"`
	Changed   int64 `bun:"changed"`
	Unchanged int64 `bun:"unchanged"`
	Deleted   int64 `bun:"deleted"`

	Suppressed int64 `bun:"suppressed"`
}

// StateRow is a committed cursor.
type StateRow struct {
	bun.BaseModel `bun:"table:states"`

	ConnectionID string `bun:"connection_id,pk"`
	Stream       string `bun:"stream,pk"`
	Bookmark     string `bun:"bookmark,pk"`
	Cursor       string `bun:"cursor"`
	SliceID      string `bun:"slice_id"`
	RunID        string `bun:"run_id"`
	Seq          int64  `bun:"seq"`
	CommittedUS  int64  `bun:"committed_us"`
}

// StagedRow is a cursor that waits for its run's end.
type StagedRow struct {
	bun.BaseModel `bun:"table:staged_states"`

	RunPK    int64  `bun:"run_pk,pk"`
	Stream   string `bun:"stream,pk"`
	Cursor   string `bun:"cursor"`
	SliceID  string `bun:"slice_id"`
	StagedUS int64  `bun:"staged_us"`
}

// EventRow is a row of events.
type EventRow struct {
	bun.BaseModel `bun:"table:events"`

	RunPK  int64  `bun:"run_pk,pk"`
	Seq    int64  `bun:"seq,pk"`
	Type   string `bun:"type"`
	Stream string `bun:"stream"`
	Data   string `bun:"data"`
	AtUS   int64  `bun:"at_us"`
}

// CoverageRow is a row of coverage.
type CoverageRow struct {
	bun.BaseModel `bun:"table:coverage"`

	RunPK       int64  `bun:"run_pk,pk"`
	Stream      string `bun:"stream,pk"`
	StateStream string `bun:"state_stream,pk"`
	Required    int64  `bun:"required"`
	Hydrated    int64  `bun:"hydrated"`
	Gaps        int64  `bun:"gaps"`
	Skipped     int64  `bun:"skipped"`
	Considered  *int64 `bun:"considered"`
	Covered     *int64 `bun:"covered"`
	DeclaredUS  int64  `bun:"declared_us"`
}

// GapRow is a row of gaps.
type GapRow struct {
	bun.BaseModel `bun:"table:gaps"`

	ID              string `bun:"id,pk"`
	ConnectionID    string `bun:"connection_id"`
	Stream          string `bun:"stream"`
	ParentStream    string `bun:"parent_stream"`
	RecordKey       string `bun:"record_key"`
	Reason          string `bun:"reason"`
	Class           string `bun:"class"`
	DetailLocator   string `bun:"detail_locator"`
	ListCursor      string `bun:"list_cursor"`
	Scope           string `bun:"scope"`
	LastError       string `bun:"last_error"`
	Status          string `bun:"status"`
	AttemptCount    int64  `bun:"attempt_count"`
	LastAttemptUS   int64  `bun:"last_attempt_us"`
	NextAttemptUS   int64  `bun:"next_attempt_us"`
	DiscoveredRunID string `bun:"discovered_run_id"`
	LastRunID       string `bun:"last_run_id"`
	RecoveredRunID  string `bun:"recovered_run_id"`
	LeaseRunID      string `bun:"lease_run_id"`
	LeaseID         string `bun:"lease_id"`
	LeaseAttempted  int64  `bun:"lease_attempted"`
	Failures        int64  `bun:"failures"`
	LeaseExpiresUS  int64  `bun:"lease_expires_us"`
	CreatedUS       int64  `bun:"created_us"`
}

// ScheduleRow is a row of schedules.
type ScheduleRow struct {
	bun.BaseModel `bun:"table:schedules"`

	ConnectionID string `bun:"connection_id,pk"`
	Mode         string `bun:"mode"`
	EveryUS      int64  `bun:"every_us"`
	Paused       bool   `bun:"paused"`
	PausedUS     int64  `bun:"paused_us"`
	ResumedUS    int64  `bun:"resumed_us"`
}

// DispatchRow is a row of dispatches.
type DispatchRow struct {
	bun.BaseModel `bun:"table:dispatches"`

	PK           int64  `bun:"pk,pk,autoincrement"`
	ConnectionID string `bun:"connection_id"`
	Trigger      string `bun:"trigger_word"`
	Status       string `bun:"status"`
	Reason       string `bun:"reason"`
	Identity     string `bun:"identity"`
	UntilUS      int64  `bun:"until_us"`
	FirstUS      int64  `bun:"first_us"`
	LastUS       int64  `bun:"last_us"`
	Count        int64  `bun:"times"`
	AfterRun     int64  `bun:"after_run"`
	Holds        string `bun:"holds"`
	Says         string `bun:"says"`
}

// Hold is the dispatch as evidence; nil when it holds nothing.
func (r *DispatchRow) Hold() *stored.Hold {
	if r.Holds == "" {
		return nil
	}
	h := &stored.Hold{Kind: stored.HoldKind(r.Holds), Reason: health.Word(r.Reason), AtUS: r.LastUS, UntilUS: r.UntilUS}
	if h.OfFolder() {
		h.Says = r.Says
	}
	return h
}

// CredentialRow is a row of credentials.
type CredentialRow struct {
	bun.BaseModel `bun:"table:credentials"`

	ConnectionID string `bun:"connection_id,pk"`
	Field        string `bun:"field,pk"`
	Sealed       []byte `bun:"sealed"`
	UpdatedUS    int64  `bun:"updated_us"`
	FromRun      int64  `bun:"from_run"` // the first run that could use it
}

// RemovedCredentialRow says which runs could use a credential that is gone. Runs
// are counted by their pk, which orders them where a clock may be put back.
type RemovedCredentialRow struct {
	bun.BaseModel `bun:"table:removed_credentials"`

	ConnectionID string `bun:"connection_id,pk"`
	Field        string `bun:"field,pk"`
	FromRun      int64  `bun:"from_run"`
	ToRun        int64  `bun:"to_run"`
	RemovedUS    int64  `bun:"removed_us"`
}

// PressureRow is a row of pressure.
type PressureRow struct {
	bun.BaseModel `bun:"table:pressure"`

	ConnectionID  string `bun:"connection_id,pk"`
	Reason        string `bun:"reason"`
	AttemptCount  int64  `bun:"attempt_count"`
	RunID         string `bun:"run_id"`
	AtUS          int64  `bun:"at_us"`
	NextAttemptUS int64  `bun:"next_attempt_us"`
}

// PauseRow is a row of pauses.
type PauseRow struct {
	bun.BaseModel `bun:"table:pauses"`

	ConnectionID string `bun:"connection_id,pk"`
	RunID        string `bun:"run_id"`
	Reason       string `bun:"reason"`
	AtUS         int64  `bun:"at_us"`
	UntilUS      int64  `bun:"until_us"`
	Learned      string `bun:"learned"`
}

// Open reports whether the gap is still to be filled.
func (r *GapRow) Open() bool { return r.Status == GapPending || r.Status == GapInProgress }

// Gone reports whether the gap's item is gone or forbidden at its provider, so that no run asks for
// it by itself.
func (r *GapRow) Gone() bool {
	return r.Class == string(abi.ReasonGone) && r.Status != GapRecovered
}

// TouchedUS is when the gap was last tried, else when it was found.
func (r *GapRow) TouchedUS() int64 { return max(r.LastAttemptUS, r.CreatedUS) }
