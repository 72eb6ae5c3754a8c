package run

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/question"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// NewRun says what run begins. All fields but HolderAlive and ByKey are required.
type NewRun struct {
	RunID        string // never used before
	ConnectionID string
	Connector    string
	Version      string
	ModuleSHA256 string
	Mode         string
	Bookmark     string // BookmarkIncremental or BookmarkBackfill
	Holder       string // who holds the lease: one process of one machine
	Streams      []string
	ByKey        []string      // of Streams, those whose records Delivered is asked about
	LeaseTTL     time.Duration // below a day
	// HolderAlive says whether the holder of another run's lease still lives.
	// nil: every holder does, until its lease expires. It is called inside the
	// write transaction: it must not use the store, and must be quick.
	HolderAlive func(holder string) bool
}

// BeginRun takes the connection's lease and writes the run as running. While another run
// holds the lease it returns run.connection_busy. A run whose lease expired, or comes from a
// clock that was far ahead, or whose holder is gone, becomes abandoned: its staged cursors
// are dropped and its gap leases return to pending.
func (s *Store) BeginRun(ctx context.Context, n NewRun) (*Writer, error) {
	if n.Bookmark != tables.BookmarkIncremental && n.Bookmark != tables.BookmarkBackfill {
		return nil, abi.NewError(abi.CodeInternal, "a run needs a bookmark: incremental or backfill", "")
	}
	if err := s.sink.Refuses(n.Bookmark); err != nil {
		return nil, err
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(n.Streams))); len(unique) != len(n.Streams) {
		return nil, abi.NewError(abi.CodeInternal, "a run names a stream twice", "")
	}
	w := s.NewWriter(n.RunID, n.ConnectionID, n.Bookmark, n.LeaseTTL)
	if err := s.db.Alone(ctx, "begin the run", func(t *db.Tx) error { return Begin(t, s.sink, w, n) }); err != nil {
		return nil, err
	}
	return w, nil
}

// NewWriter returns the writer of a run that holds no lease yet.
func (s *Store) NewWriter(runID, connectionID, bookmark string, ttl time.Duration) *Writer {
	w := &Writer{
		db: s.db, table: s.sink.Delivered(), history: s.history, To: &record.Target{ConnectionID: connectionID}, runID: runID, bookmark: bookmark, ttl: ttl,
		batches: make(chan struct{}, queuedBatches), ops: make(chan struct{}, queuedOps), free: make(chan *record.Batch, queuedBatches+2),
	}
	w.sink = s.sink.Open(w)
	return w
}

// Begin takes the connection's lease for w and writes its run as running.
func Begin(t *db.Tx, to Sinks, w *Writer, n NewRun) error {
	if err := tables.NoteClock(t); err != nil {
		return err
	}
	known, err := t.DB.NewSelect().Model((*tables.ConnectionRow)(nil)).Where("id = ?", n.ConnectionID).Exists(t.Ctx)
	if err != nil {
		return err
	}
	if !known {
		return tables.UnknownConnection(n.ConnectionID)
	}
	lease := tables.LeaseRow{ConnectionID: n.ConnectionID}
	err = t.DB.NewSelect().Model(&lease).WherePK().Scan(t.Ctx)
	fresh := errors.Is(err, sql.ErrNoRows)
	if err != nil && !fresh {
		return err
	}
	if lease.RunID != "" {
		if err := TakeOver(t, to, &lease, n); err != nil {
			return err
		}
	}
	lease.Epoch++
	lease.RunID, lease.Holder = n.RunID, n.Holder
	lease.AcquiredUS, lease.ExpiresUS = db.Micros(t.Now), db.Micros(t.Now.Add(n.LeaseTTL))
	if fresh {
		_, err = t.DB.NewInsert().Model(&lease).Exec(t.Ctx)
	} else {
		_, err = t.DB.NewUpdate().Model(&lease).WherePK().Exec(t.Ctx)
	}
	if err != nil {
		return err
	}
	w.epoch = lease.Epoch
	return openRun(t, w, n)
}

// TakeOver ends the run that holds the lease, if it may: its holder is gone, or
// it let the lease expire.
func TakeOver(t *db.Tx, to Sinks, lease *tables.LeaseRow, n NewRun) error {
	// A host that takes over a device's run may know more about the device than its lease
	// says.
	gone := n.HolderAlive != nil && !n.HolderAlive(lease.Holder)
	if !gone && tables.LeaseHolds(lease.Holder, lease.ExpiresUS, t.Now, nil) {
		return abi.NewError(abi.CodeConnectionBusy, "another run of this connection is going on",
			"wait for it to end, or end it").
			WithDetail("run " + lease.RunID + " since " + db.Time(lease.AcquiredUS).Format(time.RFC3339))
	}
	var old tables.RunRow
	err := t.DB.NewSelect().Model(&old).Where("run_id = ?", lease.RunID).Scan(t.Ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	reason := to.Deserted()
	switch {
	case reason == abi.ReasonCollectorStopped:
	case tables.IsDeviceHolder(lease.Holder):
		reason = abi.ReasonCollectorStopped
	case n.HolderAlive != nil && !gone:
		reason = abi.ReasonFenced // the host was suspended, or stood still
	}
	old.Status, old.Reason, old.FinishedUS = tables.StatusAbandoned, string(reason), db.Micros(t.Now)
	if _, err := t.DB.NewUpdate().Model(&old).Column("status", "reason", "finished_us").WherePK().Exec(t.Ctx); err != nil {
		return err
	}
	if err := evidence.RunEnded(t, &old); err != nil {
		return err
	}
	if _, err := t.DB.NewDelete().Model((*tables.StagedRow)(nil)).Where("run_pk = ?", old.PK).Exec(t.Ctx); err != nil {
		return err
	}
	if err := returnGaps(t, lease.ConnectionID); err != nil {
		return err
	}
	if err := question.Lose(t, old.RunID); err != nil {
		return err
	}
	var last int64
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE run_pk = ?", old.PK).Scan(&last); err != nil {
		return err
	}
	said := map[string]string{"reason": old.Reason}
	if n.RunID != "" {
		said["by"] = n.RunID
	}
	data, err := json.Marshal(said)
	if err != nil {
		return err
	}
	return putEvent(t, old.PK, last+1, Event{Type: "run.abandoned", Data: data})
}

// LoseRuns ends as abandoned each run of a host that is gone, and returns how many there were.
// alive says whether a holder still lives, as in NewRun. Of a run of a device its device says
// how it ended.
func (s *Store) LoseRuns(ctx context.Context, alive func(holder string) bool) (gone int, err error) {
	err = s.db.Alone(ctx, "end the runs of hosts that are gone", func(t *db.Tx) error {
		gone = 0
		var held []tables.LeaseRow
		if err := t.DB.NewSelect().Model(&held).Where("run_id <> ''").Order("connection_id").Scan(t.Ctx); err != nil {
			return err
		}
		for i := range held {
			if tables.IsDeviceHolder(held[i].Holder) || alive(held[i].Holder) {
				continue
			}
			if err := TakeOver(t, s.sink, &held[i], NewRun{HolderAlive: alive}); err != nil {
				return err
			}
			if err := release(t, held[i].ConnectionID); err != nil {
				return err
			}
			gone++
		}
		return nil
	})
	return gone, err
}

// release says that no run holds the connection.
func release(t *db.Tx, connectionID string) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE leases SET run_id = '', holder = '', expires_us = 0 WHERE connection_id = ?", connectionID)
	return err
}

// openRun writes the run's row and streams and reads its cursors.
func openRun(t *db.Tx, w *Writer, n NewRun) error {
	streams, err := json.Marshal(n.Streams)
	if err != nil {
		return err
	}
	row := tables.RunRow{
		RunID: n.RunID, ConnectionID: n.ConnectionID, Connector: n.Connector, Version: n.Version,
		ModuleSHA256: n.ModuleSHA256, Mode: n.Mode, Bookmark: n.Bookmark, Holder: n.Holder, Epoch: w.epoch,
		Streams: string(streams), Status: tables.StatusRunning, StartedUS: db.Micros(t.Now),
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
		return err
	}
	w.To.RunPK = row.PK
	if err := evidence.RunBegan(t, &row); err != nil {
		return err
	}
	for _, name := range n.Streams {
		st := tables.StreamRow{ConnectionID: n.ConnectionID, Name: name}
		err := t.DB.NewSelect().Model(&st).Where("connection_id = ? AND name = ?", n.ConnectionID, name).Scan(t.Ctx)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = t.DB.NewInsert().Model(&st).Exec(t.Ctx)
		}
		if err != nil {
			return err
		}
		w.To.AddStream(record.Stream{ID: st.ID, Name: name, ByKey: slices.Contains(n.ByKey, name), Unlisted: st.Unlisted > 0})
		if _, err := t.DB.NewInsert().Model(&tables.RunStreamRow{RunPK: w.To.RunPK, StreamID: st.ID}).Exec(t.Ctx); err != nil {
			return err
		}
	}
	w.state, err = w.sink.Begin(t)
	return err
}
