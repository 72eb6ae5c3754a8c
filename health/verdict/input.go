package verdict

import (
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// Input is the complete input of a verdict.
type Input struct {
	Snapshot health.Snapshot `json:"snapshot"`
	Streams  []StreamRollup  `json:"streams"`
	Refresh  *health.Refresh `json:"refresh"`
	// RuntimeOK is false if the infrastructure of the connections is at fault: a dead
	// scheduler loop, a browser surface that is down, a device offline.
	RuntimeOK bool              `json:"runtime_ok"`
	Progress  *ProgressEvidence `json:"progress"`
	Schedule  *Schedule         `json:"schedule"`
	// FirstSignIn: signing in would be the owner's first time, not a repetition.
	FirstSignIn bool `json:"first_sign_in"`
	// RenewedRefused: the service refused a credential that it had just renewed.
	RenewedRefused bool `json:"renewed_refused,omitempty"`
	// CannotBegin: nothing is collected before the owner acts, whatever is asked or scheduled
	// meanwhile.
	CannotBegin bool `json:"cannot_begin,omitempty"`
	// NeverRan: no run has begun, and no device delivers.
	NeverRan bool `json:"never_ran,omitempty"`
	// FoundNothing: the last run found nothing to collect.
	FoundNothing bool `json:"found_nothing,omitempty"`
	// ReadNothing: the last run read no file of its folder, although there are files.
	ReadNothing bool `json:"read_nothing,omitempty"`
	// Unexplained counts and names the files that nothing explains: "2 files: a.json, b.zip".
	Unexplained string `json:"unexplained,omitempty"`
	// NotWhole counts and names the files that are damaged, or known and not read.
	NotWhole string `json:"not_whole,omitempty"`
	// LeftFiles counts and names the files that the last run left to its owner to put right.
	LeftFiles string `json:"left_files,omitempty"`
	// LeftSaid are the words for what else the last run left to its owner: “4 entries have no time”: a.json
	LeftSaid string `json:"left_said,omitempty"`
	// FolderSaid says what is wrong with which folder that no run can read.
	FolderSaid string `json:"folder_said,omitempty"`
	// DeliverySaid says what this host refuses of what a device delivers, why, and what ends that.
	DeliverySaid string `json:"delivery_said,omitempty"`
	// From is the time of day before which no run begins by itself, or "" if it is not known.
	From string `json:"from,omitempty"`
	// Flawed: records come in, and what is missing of them is the fault of the connector's code.
	Flawed bool `json:"flawed,omitempty"`
	// Cause is what stopped the last run. nil: unknown.
	Cause *stored.Cause `json:"cause,omitempty"`
	// Attention is the open request; it names the waiting run. nil: the snapshot's
	// next action names it.
	Attention *health.Attention `json:"attention"`
}

// Priority is the importance of a stream to its connection.
type Priority string

// The priorities. A stream is required unless its manifest says otherwise. A stream
// that is not required and that the manifest declares as not collected is an accepted
// absence.
const (
	Required        Priority = "required"
	Optional        Priority = "optional"
	AcceptedAbsence Priority = "accepted_absence"
)

// required reports whether p is required. An unknown word counts as required.
func (p Priority) required() bool { return p != Optional && p != AcceptedAbsence }

// StreamRollup is the state of one stream.
type StreamRollup struct {
	StreamID      string              `json:"stream_id"`
	Coverage      health.CoverageAxis `json:"coverage"`
	Priority      Priority            `json:"priority"`
	AttentionOpen bool                `json:"attention_open"`
	GapRetryable  bool                `json:"gap_retryable"`
	Considered    *int64              `json:"considered"` // nil: not counted
	Collected     *int64              `json:"collected"`
	// Flawed: see Input.
	Flawed bool `json:"flawed,omitempty"`
	// Stays: two runs or more asked in vain for each detail of it that is missing.
	Stays bool `json:"stays,omitempty"`
	// Gone: items of it are gone or forbidden at the provider, and nothing mends that.
	Gone bool `json:"gone,omitempty"`
}

// ScheduleMode is how runs of the connection are started.
type ScheduleMode string

// The schedule modes.
const (
	ScheduleManual   ScheduleMode = "manual"
	ScheduleActive   ScheduleMode = "scheduled-active"
	ScheduleDisabled ScheduleMode = "scheduled-disabled"
	ScheduleOnDevice ScheduleMode = "on-device" // by a device, independent of this host
)

// Schedule is the part of the schedule that a verdict needs.
type Schedule struct {
	Mode            ScheduleMode `json:"mode"`
	HasPriorSuccess bool         `json:"has_prior_success"`
}

func (in *Input) scheduleIs(m ScheduleMode) bool { return in.Schedule != nil && in.Schedule.Mode == m }

// condition returns the current condition of a type, or nil.
func (in *Input) condition(t health.Type) *health.Condition {
	for i := range in.Snapshot.Conditions {
		if c := &in.Snapshot.Conditions[i]; c.Type == t && c.Current {
			return c
		}
	}
	return nil
}

// rejected reports whether the credentials are known to be rejected.
func (in *Input) rejected() bool {
	c := in.condition(health.CredentialsValid)
	return c != nil && c.Status == health.False
}

// unconfirmed reports whether the credentials were removed and stored again, and no
// run has tested them since.
func (in *Input) unconfirmed() bool {
	c := in.condition(health.CredentialsValid)
	return c != nil && c.Reason == "credential_unconfirmed" && in.Snapshot.State == health.StateUnknown
}

// givenUp reports whether so many runs failed that none starts automatically any more.
func (in *Input) givenUp() bool {
	c := in.condition(health.RetryPolicyClear)
	return c != nil && c.Status == health.False && c.Severity == health.Blocked
}

// collectionBlocked reports whether collection is blocked under a headline that does not say
// so, such as that of a paused schedule.
func (in *Input) collectionBlocked() bool {
	for _, t := range [...]health.Type{health.CredentialsValid, health.RuntimeAvailable} {
		if c := in.condition(t); c != nil && c.Status == health.False && c.Severity == health.Blocked {
			return true
		}
	}
	return false
}

// requestOpen reports whether a request to the owner is open.
func (in *Input) requestOpen() bool {
	a := in.Snapshot.Axes.Attention
	return a != "" && a != health.AttentionNone
}

func (in *Input) stalled() bool { return in.Snapshot.Axes.Outbox == health.OutboxStalled }
