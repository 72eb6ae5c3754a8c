package owner

import (
	"encoding/json"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// StatusRunning is the status of a run that has not ended.
const StatusRunning = storage.StatusRunning

// Run is a run as its owner sees it.
type Run struct {
	RunID        string             `json:"run_id"`
	ConnectionID string             `json:"connection_id"`
	Connector    string             `json:"connector"`
	Version      string             `json:"version"`
	ModuleSHA256 string             `json:"module_sha256"`
	Mode         string             `json:"collection_mode"`
	Status       string             `json:"status"`
	Reason       string             `json:"reason,omitempty"`
	Error        *storage.RunError  `json:"error,omitempty"`
	Streams      []string           `json:"streams"`
	Records      map[string]Counts  `json:"records"`
	Committed    []string           `json:"checkpoints_committed"`
	Withheld     []storage.Withheld `json:"checkpoints_withheld"`
	KnownGaps    json.RawMessage    `json:"known_gaps,omitempty"`
	StartedAt    time.Time          `json:"started_at"`
	FinishedAt   *time.Time         `json:"finished_at"`
	Unreadable   bool               `json:"unreadable,omitempty"` // part of it, which is left out
	Events       []Event            `json:"events,omitempty"`
	Gaps         []Gap              `json:"gaps,omitempty"`
	Coverage     []storage.Coverage `json:"coverage,omitempty"`

	Holder     string          `json:"-"` // the process or the device that makes it
	Connection string          `json:"-"` // the connection's name, where it was asked for
	Result     json.RawMessage `json:"-"` // as run.Result; empty: it has not ended
}

// Counts are what a run did to the records of one stream.
type Counts struct {
	New       int64 `json:"new"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
	Deleted   int64 `json:"deleted"`

	Suppressed int64 `json:"suppressed_by_owner"` // dropped: their owner has deleted them here
}

// Event is one event of a run.
type Event struct {
	Seq    int64           `json:"seq"`
	At     time.Time       `json:"at"`
	Type   string          `json:"type"`
	Stream string          `json:"stream,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// Gap is a detail that a run found missing or dealt with last.
type Gap struct {
	Stream   string `json:"stream"`
	Key      string `json:"key"`
	Reason   string `json:"reason"`
	Class    string `json:"class,omitempty"`
	Status   string `json:"status"`
	Attempts int64  `json:"attempts"`
	Said     string `json:"said,omitempty"` // the provider's own sentence about it
}

// RunOf is a stored run as its owner sees it, without its events and gaps.
func RunOf(r *storage.Run) *Run {
	v := &Run{
		RunID: r.ID, ConnectionID: r.ConnectionID, Connector: r.Connector, Version: r.Version, ModuleSHA256: r.ModuleSHA256,
		Mode: r.Mode, Status: r.Status, Reason: r.Reason, Error: r.Error, Streams: r.Streams, Records: map[string]Counts{},
		Committed: r.Checkpoints, Withheld: r.Withheld, KnownGaps: r.KnownGaps, StartedAt: r.StartedAt,
		Unreadable: r.Unreadable, Holder: r.Holder, Result: r.Result,
	}
	for stream, c := range r.Counts {
		v.Records[stream] = Counts(c)
	}
	if !r.FinishedAt.IsZero() {
		v.FinishedAt = &r.FinishedAt
	}
	return v
}
