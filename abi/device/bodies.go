package device

import (
	"encoding/json"
	"time"
)

// EnrollmentCodeRequest is the owner's request for a code: one connector on one
// device.
type EnrollmentCodeRequest struct {
	ConnectorID      string `json:"connector_id"`
	LocalBindingName string `json:"local_binding_name"`
	DisplayName      string `json:"display_name,omitempty"`
	ExpiresInSeconds int64  `json:"expires_in_seconds,omitempty"` // 60 to 86400; 0: 900
}

// EnrollmentCode answers an EnrollmentCodeRequest. The code is shown once; the host
// stores its hash.
type EnrollmentCode struct {
	Object           string    `json:"object"` // device_exporter_enrollment_code
	Code             string    `json:"enrollment_code"`
	ExpiresAt        time.Time `json:"expires_at"`
	ConnectorID      string    `json:"connector_id"`
	LocalBindingName string    `json:"local_binding_name"`
}

// EnrollRequest turns a code into a credential.
type EnrollRequest struct {
	Code         string `json:"enrollment_code"`
	DeviceLabel  string `json:"device_label,omitempty"`
	AgentVersion string `json:"agent_version,omitempty"`
	// Scope is the part of its source that the device wants to collect: a Scope, or
	// null for the whole source. If absent, the host's owner decides.
	Scope json.RawMessage `json:"collection_scope,omitempty"`
}

// Enrollment answers an EnrollRequest. The token is shown once; the host stores its
// hash.
type Enrollment struct {
	Object              string `json:"object"` // device_exporter_enrollment
	DeviceID            string `json:"device_id"`
	DeviceToken         string `json:"device_token"`
	SourceInstanceID    string `json:"source_instance_id"`
	ConnectorInstanceID string `json:"connector_instance_id"`
	ConnectorID         string `json:"connector_id"`
	LocalBindingName    string `json:"local_binding_name"`
}

// Heartbeat statuses.
const (
	StatusStarting = "starting"
	StatusHealthy  = "healthy"
	StatusRetrying = "retrying"
	StatusBlocked  = "blocked"
	StatusStopped  = "stopped"
)

// Kinds of a heartbeat's last error.
const (
	ErrorStateRead     = "state_read_failed"
	ErrorDeadLetters   = "dead_letter_backlog"
	ErrorRunNotTakenUp = "terminal_run_commit_unacknowledged"
)

// Heartbeat is a source instance's report on itself. RecordsPending counts rows of the
// outbox.
type Heartbeat struct {
	AgentVersion     string     `json:"agent_version,omitempty"`
	ConnectorID      string     `json:"connector_id"`
	SourceInstanceID string     `json:"source_instance_id"`
	Status           string     `json:"status"`
	RecordsPending   *int64     `json:"records_pending,omitempty"`
	Outbox           *Outbox    `json:"outbox,omitempty"`
	LastError        *LastError `json:"last_error,omitempty"`
}

// Outbox is the state of a source instance's outbox. Unknown times are nil.
type Outbox struct {
	Pending          int64      `json:"pending"`
	Leased           int64      `json:"leased"`
	Retrying         int64      `json:"retrying"`
	DeadLetter       int64      `json:"dead_letter"`
	StaleLeases      int64      `json:"stale_leases"`
	Succeeded        int64      `json:"succeeded"`
	Total            int64      `json:"total"`
	BacklogOpen      int64      `json:"backlog_open"`
	OldestPendingAt  *time.Time `json:"oldest_pending_at,omitempty"`
	OldestRetryingAt *time.Time `json:"oldest_retrying_at,omitempty"`
	LastAckAt        *time.Time `json:"last_acknowledged_at,omitempty"`
	LastCheckpointAt *time.Time `json:"last_checkpoint_at,omitempty"`
	LifecycleState   string     `json:"lifecycle_state,omitempty"`
}

// LastError says why a source instance is blocked. It holds no path and no text
// of the source.
type LastError struct {
	Kind    string       `json:"kind"`
	Classes []ErrorClass `json:"top_dead_letter_classes,omitempty"`
}

// ErrorClass counts the rows given up for one reason.
type ErrorClass struct {
	Count int64  `json:"count"`
	Class string `json:"error_class"`
}

// HeartbeatAnswer answers a heartbeat.
type HeartbeatAnswer struct {
	Object     string    `json:"object"` // device_exporter_heartbeat
	DeviceID   string    `json:"device_id"`
	ReceivedAt time.Time `json:"received_at"`
	Status     string    `json:"status"` // accepted
}

// Operations of a record.
const (
	OpUpsert = "upsert"
	OpDelete = "delete"
)

// Record is one record of a batch. Key is the canonical text of the record's key.
// Data of a deletion may hold the key fields only, or be absent. MovedFrom, which a
// deletion does not have, is the canonical text of the key that the record had until now: it goes from there, and what the host's
// owner has deleted under the earlier key stays deleted under the later one.
type Record struct {
	Stream    string          `json:"stream"`
	Key       string          `json:"record_key"`
	Data      json.RawMessage `json:"data,omitempty"`
	EmittedAt string          `json:"emitted_at"`   // RFC 3339
	Op        string          `json:"op,omitempty"` // "": upsert
	MovedFrom string          `json:"moved_from,omitempty"`
}

// Batch is one delivery of records. BatchID, BatchSeq, BodyHash and the device
// identify it: a batch with the same identity is the same delivery. RunID is the
// collector's run that made the batch; "" means the lane's current run.
type Batch struct {
	DeviceID         string          `json:"device_id"`
	SourceInstanceID string          `json:"source_instance_id"`
	ConnectorID      string          `json:"connector_id"`
	RunID            string          `json:"run_id,omitempty"`
	BatchID          string          `json:"batch_id"`
	BatchSeq         int64           `json:"batch_seq"`
	BodyHash         string          `json:"body_hash"`
	Records          json.RawMessage `json:"records"` // []Record
}

// BatchAnswer answers a batch. A batch that is delivered again gets the same answer
// again.
type BatchAnswer struct {
	Object              string `json:"object"` // device_ingest_batch_result
	Status              string `json:"status"` // accepted
	Accepted            int64  `json:"accepted_record_count"`
	Rejected            int64  `json:"rejected_record_count"` // of a collector that puts a manifest always 0: its batch is accepted or refused as a whole
	BatchID             string `json:"batch_id"`
	BodyHash            string `json:"body_hash"`
	DeviceID            string `json:"device_id"`
	SourceInstanceID    string `json:"source_instance_id"`
	ConnectorInstanceID string `json:"connector_instance_id"`
}

// State is the committed cursors of a source instance by stream: all of them, or the
// requested page.
type State struct {
	Object              string                     `json:"object"` // device_source_instance_state
	ConnectorInstanceID string                     `json:"connector_instance_id"`
	DeviceID            string                     `json:"device_id"`
	SourceInstanceID    string                     `json:"source_instance_id"`
	State               map[string]json.RawMessage `json:"state"`
	UpdatedAt           *time.Time                 `json:"updated_at"` // nil: never
	// ManifestSHA256 is the hash, in hex, of the manifest against which the host
	// checks records; "" before the first one.
	ManifestSHA256 string `json:"manifest_sha256,omitempty"`
	// Next is the stream after which the next page begins; "" means there is no next
	// page.
	Next string `json:"next,omitempty"`
}

// StateCommit commits the cursors that it names while a run continues. RunID is as in
// Batch.
type StateCommit struct {
	RunID string                     `json:"run_id,omitempty"`
	State map[string]json.RawMessage `json:"state"`
}

// Manifest is the manifest of the connector that a source instance runs.
type Manifest struct {
	ConnectorID  string          `json:"connector_id"`
	ModuleSHA256 string          `json:"module_sha256"`
	Manifest     json.RawMessage `json:"manifest"`
}

// ManifestAnswer answers a Manifest. SHA256 is the hash of the manifest's bytes as
// they were sent.
type ManifestAnswer struct {
	Object           string `json:"object"` // device_source_instance_manifest
	SourceInstanceID string `json:"source_instance_id"`
	SHA256           string `json:"manifest_sha256"`
	Changed          bool   `json:"changed"`
}

// Gap is one record, or one part of a source, that was not collected. Stream and
// Boundary say which; a gap has at most one row for each (reason, stream,
// boundary).
type Gap struct {
	ConnectorID      string    `json:"connector_id"`
	SourceInstanceID string    `json:"source_instance_id"`
	Reason           string    `json:"reason"`
	Class            string    `json:"error_class,omitempty"`
	Retryable        bool      `json:"retryable"`
	FirstSeenAt      time.Time `json:"first_seen_at"`
	BackoffMS        int64     `json:"next_attempt_backoff_ms"`
	Stream           string    `json:"stream,omitempty"`
	ParentStream     string    `json:"parent_stream,omitempty"`
	Boundary         string    `json:"stream_boundary,omitempty"` // a record's canonical key, or a name that the connector chose
	FirstSeenRunID   string    `json:"first_seen_run_id,omitempty"`
	LastRunID        string    `json:"last_run_id,omitempty"`
}

// GapRecovered reports that a gap is filled.
type GapRecovered struct {
	ConnectorID      string `json:"connector_id"`
	SourceInstanceID string `json:"source_instance_id"`
	Reason           string `json:"reason"`
	Stream           string `json:"stream,omitempty"`
	ParentStream     string `json:"parent_stream,omitempty"`
	Boundary         string `json:"stream_boundary,omitempty"`
	RecoveredRunID   string `json:"recovered_run_id,omitempty"`
}

// GapAnswer answers a Gap or a GapRecovered.
type GapAnswer struct {
	Object       string `json:"object"` // device_local_collector_gap
	GapID        string `json:"gap_id"`
	Status       string `json:"status"` // pending, recovered
	AttemptCount int64  `json:"attempt_count"`
	Stream       string `json:"stream"`
}

// RunCommit is the end of a run: its result, and the cursors that move with it. The
// host accepts all of it or none. A collector sends one for every run that ended,
// failed runs included, so that the host's history is as complete as the device's.
type RunCommit struct {
	Version             int                        `json:"version"`                       // 1
	Boundary            *string                    `json:"collection_boundary,omitempty"` // Scope.Fingerprint of the scope that the run observed
	CommitID            string                     `json:"commit_id"`
	RunID               string                     `json:"run_id"`
	DeviceID            string                     `json:"device_id"`
	ConnectorID         string                     `json:"connector_id"`
	ConnectorInstanceID string                     `json:"connector_instance_id"`
	SourceInstanceID    string                     `json:"source_instance_id"`
	StateDelta          map[string]json.RawMessage `json:"state_delta"`
	Facts               []TerminalFact             `json:"terminal_facts"`
	Outcome             Outcome                    `json:"outcome"` // zero: the run succeeded, and its collector reports nothing more
}

// Plain reports whether the commit carries no outcome, as one from a public collector.
func (c *RunCommit) Plain() bool {
	o := &c.Outcome
	return o.Status == "" && o.Mode == "" && o.Connector == "" && o.ModuleSHA256 == ""
}

// TerminalFact is a run's report on the stores of one stream.
type TerminalFact struct {
	Stream           string   `json:"stream"`
	CoverageStatuses []string `json:"coverage_statuses"`
	Scoped           bool     `json:"scoped,omitempty"` // the run observed its boundary in this stream
}

// Outcome is how a run ended, in the vocabulary of the host's own runs.
type Outcome struct {
	Status       string          `json:"status"` // succeeded, failed, cancelled
	Reason       string          `json:"reason,omitempty"`
	Mode         string          `json:"collection_mode"`
	Narrowed     bool            `json:"narrowed,omitempty"`
	Connector    string          `json:"connector"`
	Version      string          `json:"version"`
	ModuleSHA256 string          `json:"module_sha256"`
	Streams      []string        `json:"streams"`
	StartedAt    time.Time       `json:"started_at"`
	FinishedAt   time.Time       `json:"finished_at"`
	Error        json.RawMessage `json:"error,omitempty"`      // storage.RunError
	KnownGaps    json.RawMessage `json:"known_gaps,omitempty"` // []run.KnownGap
	Withheld     json.RawMessage `json:"withheld,omitempty"`   // []storage.Withheld
	Coverage     []Coverage      `json:"coverage,omitempty"`
}

// Coverage is one lane's coverage account (RT-12).
type Coverage struct {
	Stream      string `json:"stream"`
	StateStream string `json:"state_stream"`
	Required    int64  `json:"required"`
	Hydrated    int64  `json:"hydrated"`
	Gaps        int64  `json:"gaps"`
	Skipped     int64  `json:"skipped"`
	Considered  *int64 `json:"considered,omitempty"`
	Covered     *int64 `json:"covered,omitempty"`
}

// RunCommitAnswer answers a RunCommit. EnvelopeHash is Hash of the RunCommit as the
// host received it; the collector compares it with its own.
type RunCommitAnswer struct {
	Object          string `json:"object"` // device_terminal_run_commit
	CommitID        string `json:"commit_id"`
	RunID           string `json:"run_id"`
	EnvelopeHash    string `json:"envelope_hash"`
	TerminalEventID string `json:"terminal_event_id"`
}

// BlobAnswer answers an artifact.
type BlobAnswer struct {
	Object string `json:"object"` // device_blob
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Revocation answers a device that gave up its credential.
type Revocation struct {
	Object    string    `json:"object"` // device_exporter_revocation
	DeviceID  string    `json:"device_id"`
	RevokedAt time.Time `json:"revoked_at"`
}

// Codes of a refusal.
const (
	CodeProtocolMismatch    = "collector_protocol_mismatch"  // 409
	CodeUnauthorized        = "device_unauthorized"          // 401
	CodeForbidden           = "device_forbidden"             // 403
	CodeCodeUsed            = "enrollment_code_used"         // 400
	CodeCodeExpired         = "enrollment_code_expired"      // 410
	CodeCodeRaced           = "enrollment_code_raced"        // 409
	CodeTooManyAttempts     = "too_many_attempts"            // 429, with Retry-After
	CodeBadRequest          = "invalid_request"              // 400
	CodeTooLarge            = "request_too_large"            // 413
	CodeBlobQuota           = "device_blob_quota_exceeded"   // 413: the source's artifacts reached their quota
	CodeNotFound            = "not_found"                    // 404
	CodeBatchConflict       = "device_batch_conflict"        // 409
	CodeBatchHashMismatch   = "device_batch_hash_mismatch"   // 400
	CodeRecordsRejected     = "device_records_rejected"      // 422
	CodeManifestMissing     = "device_manifest_missing"      // 409
	CodeManifestNotAccepted = "device_manifest_not_accepted" // 409: it adds streams that the owner has to accept first
	CodeRunConflict         = "device_run_conflict"          // 409: the run has ended
	CodeRetryable           = "device_ingest_retryable"      // 503, with Retry-After
	CodeInternal            = "internal_error"               // 500
)

// Failure is the body of every refusal.
type Failure struct {
	Error FailureDetail `json:"error"`
}

// FailureDetail names the refused member and the reason. It holds no secret and no
// value of a record.
type FailureDetail struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Param     string `json:"param,omitempty"`
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
}
