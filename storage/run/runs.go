package run

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// Run is a run as the store keeps it.
type Run struct {
	ID           string
	ConnectionID string
	Connector    string
	Version      string
	ModuleSHA256 string
	Mode         string
	Bookmark     string
	Holder       string
	Epoch        int64
	Streams      []string
	Status       string // StatusRunning, StatusAbandoned, or as Finish wrote it
	Reason       string
	Error        *tables.RunError
	Checkpoints  []string // the streams whose cursors Finish committed
	Withheld     []tables.Withheld
	KnownGaps    []byte // JSON, nil for none
	Result       []byte // JSON, nil for none
	StartedAt    time.Time
	FinishedAt   time.Time // zero while it runs
	// Unreadable: some of what it says cannot be read, and is left out here.
	Unreadable bool
	// Counts holds what the run's durable records did, by stream, also while it
	// runs and when it was abandoned.
	Counts map[string]record.StreamCounts
}

func publicRun(r *tables.RunRow) *Run {
	out := &Run{
		ID: r.RunID, ConnectionID: r.ConnectionID, Connector: r.Connector, Version: r.Version,
		ModuleSHA256: r.ModuleSHA256, Mode: r.Mode, Bookmark: r.Bookmark, Holder: r.Holder, Epoch: r.Epoch,
		Status: r.Status, Reason: r.Reason, KnownGaps: tables.JSONBytes(r.KnownGaps), Result: tables.JSONBytes(r.Result),
		StartedAt: db.Time(r.StartedUS), FinishedAt: db.Time(r.FinishedUS), Counts: map[string]record.StreamCounts{},
	}
	failed := r.Error
	if r.Status == tables.StatusRunning { // it says how the run ends if its host is killed
		failed = ""
	}
	for _, part := range []struct {
		text string
		to   any
	}{{r.Streams, &out.Streams}, {failed, &out.Error}, {r.Checkpoints, &out.Checkpoints}, {r.Withheld, &out.Withheld}} {
		if part.text == "" {
			continue
		}
		if json.Unmarshal([]byte(part.text), part.to) != nil {
			out.Unreadable = true
		}
	}
	for _, part := range []*[]byte{&out.KnownGaps, &out.Result} {
		if *part != nil && !json.Valid(*part) {
			*part, out.Unreadable = nil, true
		}
	}
	return out
}

// Runs returns the newest runs of a connection, newest first; "" is every
// connection. limit 0 is all of them.
func (s *Store) Runs(ctx context.Context, connection string, limit int) ([]Run, error) {
	return s.RunsBefore(ctx, connection, "", limit)
}

// RunsBefore is Runs of those that began before the run of an id; "": all of them.
func (s *Store) RunsBefore(ctx context.Context, connection, before string, limit int) ([]Run, error) {
	var rows []tables.RunRow
	q := s.db.Read.NewSelect().Model(&rows).Order("pk DESC")
	if connection != "" {
		c, err := tables.FindConnection(ctx, s.db.Read, connection)
		if err != nil {
			return nil, s.db.Fail("read the runs", err)
		}
		q = q.Where("connection_id = ?", c.ID)
	}
	if before != "" {
		q = q.Where("pk < (SELECT pk FROM runs WHERE run_id = ?)", before)
	}
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the runs", err)
	}
	return s.runsOf(ctx, rows)
}

// Run returns the run of that id, or run.unknown.
func (s *Store) Run(ctx context.Context, id string) (*Run, error) {
	row, err := s.runRow(ctx, id)
	if err != nil {
		return nil, err
	}
	all, err := s.runsOf(ctx, []tables.RunRow{*row})
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

func (s *Store) runRow(ctx context.Context, id string) (*tables.RunRow, error) {
	row := new(tables.RunRow)
	err := s.db.Read.NewSelect().Model(row).Where("run_id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, abi.NewError(abi.CodeRunUnknown, "there is no run "+id, "`pdpp-host runs list` shows the ones there are")
	}
	return row, s.db.Fail("read the run", err)
}

// Events returns a run's events after number after, oldest first. limit 0 is
// all of them.
func (s *Store) Events(ctx context.Context, runID string, after int64, limit int) ([]Event, error) {
	run, err := s.runRow(ctx, runID)
	if err != nil {
		return nil, err
	}
	var rows []tables.EventRow
	q := s.db.Read.NewSelect().Model(&rows).Where("run_pk = ? AND seq > ?", run.PK, after).Order("seq")
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the events", err)
	}
	out := make([]Event, 0, len(rows))
	for _, r := range rows {
		out = append(out, Event{Seq: r.Seq, Type: r.Type, Stream: r.Stream, Data: tables.JSONBytes(r.Data), At: db.Time(r.AtUS)})
	}
	return out, nil
}

// Coverage returns what a run's detail lanes accounted for.
func (s *Store) Coverage(ctx context.Context, runID string) ([]Coverage, error) {
	run, err := s.runRow(ctx, runID)
	if err != nil {
		return nil, err
	}
	var rows []tables.CoverageRow
	if err := s.db.Read.NewSelect().Model(&rows).Where("run_pk = ?", run.PK).Order("stream", "state_stream").Scan(ctx); err != nil {
		return nil, s.db.Fail("read the coverage", err)
	}
	out := make([]Coverage, 0, len(rows))
	for _, r := range rows {
		out = append(out, Coverage{
			Stream: r.Stream, StateStream: r.StateStream, Required: r.Required, Hydrated: r.Hydrated, Gaps: r.Gaps,
			Skipped: r.Skipped, Considered: r.Considered, Covered: r.Covered,
		})
	}
	return out, nil
}
