package main

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// connectionView is a connection as it is shown. Options are shown by name
// only: a value may be a secret (Invariant 5).
type connectionView struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Connector    string            `json:"connector"`
	Roots        map[string]string `json:"roots"`
	Options      []string          `json:"options"`
	BaseURL      string            `json:"base_url,omitempty"`    // where it asks instead of its provider
	ModulePath   string            `json:"module_path,omitempty"` // where its module is, if that was named by its path
	PinnedSHA256 string            `json:"pinned_sha256"`
	CreatedAt    time.Time         `json:"created_at"`
	Unreadable   bool              `json:"unreadable,omitempty"` // its roots and options, which are left out
	LastRun      *runView          `json:"last_run,omitempty"`
	Devices      []deviceView      `json:"devices,omitempty"` // that run it; none: this host does
	Schedule     *scheduleView     `json:"schedule,omitempty"`
	Verdict      *view.Brief       `json:"verdict,omitempty"`
	Streams      []streamView      `json:"streams,omitempty"`
	Checkpoints  []checkpointView  `json:"checkpoints,omitempty"`
	OpenGaps     *int64            `json:"open_gaps,omitempty"`
	Credentials  []credentialView  `json:"credentials,omitempty"`

	Destinations []storage.Destination `json:"destinations,omitempty"` // what was sent where, over all runs

	lastRun string // how it stands, in words
}

type streamView struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
	Deleted int64  `json:"deleted"`
	LastSeq int64  `json:"last_seq"`
}

type checkpointView struct {
	Stream      string    `json:"stream"`
	Bookmark    string    `json:"bookmark"`
	RunID       string    `json:"run_id"`
	At          time.Time `json:"at"`
	Staged      bool      `json:"staged"`
	CursorBytes int       `json:"cursor_bytes"`
}

// runView is a run as it is listed.
type runView struct {
	RunID        string                `json:"run_id"`
	ConnectionID string                `json:"connection_id"`
	Connector    string                `json:"connector"`
	Version      string                `json:"version"`
	ModuleSHA256 string                `json:"module_sha256"`
	Mode         string                `json:"collection_mode"`
	Status       string                `json:"status"`
	Reason       string                `json:"reason,omitempty"`
	Error        *storage.RunError     `json:"error,omitempty"`
	Streams      []string              `json:"streams"`
	Records      map[string]countsView `json:"records"`
	Committed    []string              `json:"checkpoints_committed"`
	Withheld     []storage.Withheld    `json:"checkpoints_withheld"`
	KnownGaps    json.RawMessage       `json:"known_gaps,omitempty"`
	StartedAt    time.Time             `json:"started_at"`
	FinishedAt   *time.Time            `json:"finished_at"`
	Unreadable   bool                  `json:"unreadable,omitempty"` // part of it, which is left out
	Events       []eventView           `json:"events,omitempty"`
	Gaps         []gapView             `json:"gaps,omitempty"`
	Coverage     []storage.Coverage    `json:"coverage,omitempty"`
}

type countsView struct {
	New       int64 `json:"new"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
	Deleted   int64 `json:"deleted"`
}

type eventView struct {
	Seq    int64           `json:"seq"`
	At     time.Time       `json:"at"`
	Type   string          `json:"type"`
	Stream string          `json:"stream,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

type gapView struct {
	Stream   string `json:"stream"`
	Key      string `json:"key"`
	Reason   string `json:"reason"`
	Class    string `json:"class,omitempty"`
	Status   string `json:"status"`
	Attempts int64  `json:"attempts"`
}

func viewConnection(c *storage.Connection) connectionView {
	return connectionView{
		ID: c.ID, Name: c.Name, Connector: c.Connector, Roots: c.Roots, Options: sorted(c.Options),
		PinnedSHA256: c.PinnedSHA256, CreatedAt: c.CreatedAt, BaseURL: c.ReadRoots[run.OriginRoot],
		ModulePath: c.ReadRoots[run.ModuleRoot], Unreadable: c.Unreadable != nil,
	}
}

func viewRun(r *storage.Run) *runView {
	v := &runView{
		RunID: r.ID, ConnectionID: r.ConnectionID, Connector: r.Connector, Version: r.Version, ModuleSHA256: r.ModuleSHA256,
		Mode: r.Mode, Status: r.Status, Reason: r.Reason, Error: r.Error, Streams: r.Streams, Records: map[string]countsView{},
		Committed: r.Checkpoints, Withheld: r.Withheld, KnownGaps: r.KnownGaps, StartedAt: r.StartedAt,
		Unreadable: r.Unreadable,
	}
	for stream, c := range r.Counts {
		v.Records[stream] = countsView{c.New, c.Changed, c.Unchanged, c.Deleted}
	}
	if !r.FinishedAt.IsZero() {
		v.FinishedAt = &r.FinishedAt
	}
	return v
}

func sorted(m map[string]string) []string {
	return slices.AppendSeq(make([]string, 0, len(m)), slices.Values(slices.Sorted(maps.Keys(m))))
}

// absolute makes a path that an owner typed independent of where it was typed.
func (a *app) absolute(path string) (string, error) { return roots.Absolute(a.Home, path) }
