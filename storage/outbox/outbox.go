package outbox

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Codes of a lane and of its outbox.
const (
	CodeLaneMissing     abi.Code = "storage.lane_missing"      // no collector's file is there
	CodeLaneMismatch    abi.Code = "storage.lane_mismatch"     // the file belongs to something else
	CodeLeaseNotCurrent abi.Code = "storage.lease_not_current" // the row was lost to another holder, or to time
	CodeOutboxCollision abi.Code = "storage.outbox_collision"  // one id, two contents
	CodeKeepRefused     abi.Code = "storage.keep_refused"      // a prune that would leave nothing
)

// Lane makes of a store the outbox of one source instance of a collector: what
// its runs collect is queued for delivery instead of kept as records.
type Lane struct {
	SourceInstanceID string // required
	ConnectorID      string // required
	MaxBatchRecords  int    // of one record batch; 0: 1000
	MaxBatchBytes    int    // of one batch's records; 0: 1 MiB. A larger record goes alone
}

// Kinds of outbox rows.
const (
	KindRecordBatch = "record_batch"
	KindCheckpoint  = "checkpoint"
	KindGap         = "gap"
	KindBlobUpload  = "blob_upload"
	KindRunCommit   = "terminal_run_commit"
)

// Statuses of outbox rows. A ready row whose next attempt is in the future is
// retrying.
const (
	Ready      = "ready"
	Leased     = "leased"
	Succeeded  = "succeeded"
	DeadLetter = "dead_letter"
)

// Item is one row of work that was claimed. Holder, Epoch and LeaseUntil are its lease: an
// answer under another one is refused.
type Item struct {
	ID       string
	Kind     string
	UnitID   string
	RunID    string
	BodyHash string // of a batch: of its records; of a blob: SHA-256 of its bytes; else of the payload
	// Payload is the request's body but for what only the sender knows, see
	// Body. Of a gap it is device.Gap, or device.GapRecovered with Recovered
	// set. Of a checkpoint it is device.StateCommit. Of a blob it is its bytes.
	Payload   []byte
	Recovered bool   // a gap: it is filled
	Refused   bool   // the end of a run: of one that was refused before it began
	MediaType string // of a blob

	Attempts   int64 // that failed, since it was last requeued
	Epoch      int64
	Seq        int64 // its place in the order of delivery
	Holder     string
	LeaseUntil time.Time
	CreatedAt  time.Time
}

// saysRefused begins what the end of a refused run says.
const saysRefused = "refused "

// ClaimRequest says who claims, for how long, and how much at most.
type ClaimRequest struct {
	Holder string
	Lease  time.Duration
	Limit  int // 0: 1
}

// Pruned is what a prune came to.
type Pruned struct {
	Enabled bool  `json:"enabled"`
	Matched int64 `json:"matched"` // rows outside the ones to keep
	Pruned  int64 `json:"pruned"`
}

// Lifecycle states of a lane: exactly one holds (LC-07).
const (
	LaneDeadLetter       = "dead_letter"
	LaneStaleLease       = "stale_lease"
	LaneDraining         = "draining"
	LaneRetryableBacklog = "retryable_backlog"
	LaneCoverageMissing  = "coverage_missing"
	LaneHealthyIdle      = "healthy_idle"
)

// Counts is the state of a lane's durable work. Times are zero for none.
type Counts struct {
	Pending     int64 // ready and due
	Retrying    int64 // ready, and not due before NextAttemptAt
	Leased      int64 // also those past their deadline
	StaleLeases int64 // leased, past the deadline
	DeadLetter  int64
	Succeeded   int64 // of those that were not pruned
	Total       int64

	OldestPendingAt  time.Time
	OldestRetryingAt time.Time
	NextAttemptAt    time.Time
	LastAckAt        time.Time
	LastCheckpointAt time.Time

	BacklogOpen int64 // work that is left, and that a later run does by itself
	GapsOpen    int64 // what is known to be missing, and is not retried by itself

	HoldsScan int64 // undelivered rows that no scan may overtake: all but gaps

	RecordBatches    int64 // delivered ever, and still to be delivered; dead letters are not among them
	CoverageObserved *bool // nil: unknown
	// DeadLetterClasses counts dead letters by why, most frequent first.
	DeadLetterClasses []device.ErrorClass
	// PutOff counts what is to be tried again by why, most frequent first.
	PutOff         []PutOff
	LifecycleState string
}

// PutOff counts the rows that are to be tried again for one reason, with what was
// said of one of them.
type PutOff struct {
	Count   int64
	Class   string
	Message string
}

// Unit statuses.
const (
	UnitRunning   = "running"   // it is being collected, or its rows are on their way
	UnitDelivered = "delivered" // all but its commit is acknowledged
	UnitComplete  = "complete"  // everything of it is acknowledged
	UnitBacklog   = "backlog"   // not collected, a later run goes on with it
	UnitGap       = "gap"       // not collected, and not retried by itself
	UnitDead      = "dead"      // a row of it was given up
)

// WorkUnit is a bounded part of a source's work (LC-02), or a known part that
// was not collected (LC-05).
type WorkUnit struct {
	ID            string    `json:"id"`
	Stream        string    `json:"stream,omitempty"`
	Boundary      string    `json:"boundary,omitempty"` // a slice, or JSON of where it stands; for the device alone
	Status        string    `json:"status"`
	RunID         string    `json:"run_id"`
	Attempts      int64     `json:"attempts"`
	LastAttemptAt time.Time `json:"last_attempt_at"`
	Reason        string    `json:"reason,omitempty"`
	Retryable     bool      `json:"retryable"`
	LastError     string    `json:"last_error,omitempty"`
	CreatedAt     time.Time `json:"created_at"`
}

// LaneInfo says whose file it is, which module its runs were accepted with, and
// what is not done.
type LaneInfo struct {
	SourceInstanceID string
	ConnectorID      string
	PinnedSHA256     string // "": no module is accepted yet
	PinnedManifest   []byte
	Accepted         []tables.AcceptedItem // by name, with that module
	Roots            map[string]string     // the folders that its runs were told
	ReadRoots        map[string]string     // the folders that they have read

	Open      []OpenWork // at most MaxOpenWork, what needs somebody first
	OpenTotal int64

	Last *LastRun // nil: nothing has run yet
}

// LastRun is how the newest run of a lane ended.
type LastRun struct {
	RunID      string
	Status     string // running, succeeded, failed, cancelled, abandoned
	Reason     string
	Code       string // of what it failed with; "": it did not
	FinishedAt time.Time
}

// MaxOpenWork bounds how much open work InspectLane lists.
const MaxOpenWork = 200

// OpenWork is a unit that is not complete, or a gap: a record whose detail is
// still missing. It may be shown away from the device: no path is in it, and no
// key of a record.
type OpenWork struct {
	Kind          string // unit, gap
	Stream        string
	Boundary      string // of a unit; "": it has none, or one for the device alone
	Status        string
	Reason        string
	Retryable     bool
	Attempts      int64
	LastAttemptAt time.Time // zero: never
	Said          string    // why the destination refused a record or a stream; empty if it did not
}
