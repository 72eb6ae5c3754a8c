package device

import (
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// A run on a device is written by whatever the device delivers, one transaction
// each, and holds its connection's lease in between as any other run does: its
// holder is the device, and it lasts for as long as a heartbeat is fresh.

var lastEvents = map[string]string{tables.StatusSucceeded: "run.completed", tables.StatusFailed: "run.failed", tables.StatusCancelled: "run.cancelled"}

// eventAdvanced is the event of a cursor that moved; lastEvents are those that a
// run ends with.
const eventAdvanced = "run.state_advanced"

func runConflict(why string) *abi.Error {
	return abi.NewError(device.CodeRunConflict, "the run takes nothing more: "+why, "start a new run")
}

// deviceRun returns the writer of a device's run for this transaction, made when
// it is new. A new run of the lane ends the one before, which did not say how it
// ended, as abandoned. runID "" is the lane's run that goes on, or a new one
// without a name.
//
// Invariant 2: the run's epoch is the lease's, or it writes nothing.
func (s *Store) deviceRun(t *db.Tx, src *tables.SourceJoined, runID string) (*run.Writer, error) {
	runID, err := runOf(t, src, runID)
	if err != nil {
		return nil, err
	}
	if err := checkName("run_id", runID); err != nil {
		return nil, err
	}
	w := s.runs.NewWriter(runID, src.ConnectionID, tables.BookmarkIncremental, tables.DeviceLease)
	var row tables.RunRow
	err = t.DB.NewSelect().Model(&row).Column("pk", "connection_id", "bookmark", "holder", "epoch", "status").Where("run_id = ?", runID).Scan(t.Ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return w, beginDeviceRun(t, w, src)
	}
	switch {
	case err != nil:
		return nil, err
	case row.ConnectionID != src.ConnectionID, row.Holder != tables.DeviceHolder(src.DeviceID):
		return nil, runConflict("its id is another run's")
	case row.Status != tables.StatusRunning:
		return nil, runConflict("it has ended")
	}
	if err := w.Resume(t, &row); err != nil {
		if abi.CodeOf(err) == abi.CodeFenced {
			return nil, runConflict("another run has begun")
		}
		return nil, err
	}
	return w, heardOf(t, src)
}

func beginDeviceRun(t *db.Tx, w *run.Writer, src *tables.SourceJoined) error {
	var pinned string
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT pinned_sha256 FROM connections WHERE id = ?", src.ConnectionID).Scan(&pinned); err != nil {
		return err
	}
	err := run.Begin(t, run.HostSink{}, w, run.NewRun{
		RunID: w.RunID(), ConnectionID: src.ConnectionID, Connector: src.Connector, ModuleSHA256: pinned, Mode: abi.ModeIncremental,
		Bookmark: tables.BookmarkIncremental, Holder: tables.DeviceHolder(src.DeviceID), LeaseTTL: tables.DeviceLease,
		// Which streams it is to collect is told at its end: until then nobody knows.
		HolderAlive: func(holder string) bool { return !tables.IsDeviceHolder(holder) },
	})
	if abi.CodeOf(err) == abi.CodeConnectionBusy {
		return abi.NewError(device.CodeRetryable, "the host runs this connection itself at the moment", "try again").Wrap(err)
	}
	return err
}

// heardOf renews the lease of a run of the source's device.
func heardOf(t *db.Tx, src *tables.SourceJoined) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE leases SET expires_us = ? WHERE connection_id = ? AND holder = ? AND run_id <> ''",
		db.Micros(t.Now.Add(tables.DeviceLease)), src.ConnectionID, tables.DeviceHolder(src.DeviceID))
	return err
}

// abandonDeviceRun ends the run that a device holds the connection with.
func abandonDeviceRun(t *db.Tx, connectionID, deviceID string) error {
	var held []tables.LeaseRow
	err := t.DB.NewSelect().Model(&held).Where("connection_id = ? AND holder = ? AND run_id <> ''", connectionID, tables.DeviceHolder(deviceID)).Scan(t.Ctx)
	if err != nil || len(held) == 0 {
		return err
	}
	if err := run.TakeOver(t, run.HostSink{}, &held[0], run.NewRun{HolderAlive: func(string) bool { return false }}); err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE leases SET run_id = '', holder = '', expires_us = 0 WHERE connection_id = ?", connectionID)
	return err
}

// joinStreams has the run write to streams, by their names; w.to.Streams has their
// order.
func joinStreams(t *db.Tx, w *run.Writer, streams []string) error {
	for _, name := range streams {
		st := tables.StreamRow{ConnectionID: w.To.ConnectionID, Name: name}
		err := t.DB.NewSelect().Model(&st).Where("connection_id = ? AND name = ?", w.To.ConnectionID, name).Scan(t.Ctx)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = t.DB.NewInsert().Model(&st).Exec(t.Ctx)
		}
		if err != nil {
			return err
		}
		w.To.AddStream(record.Stream{ID: st.ID, Name: name})
		if _, err := t.DB.NewInsert().Model(&tables.RunStreamRow{RunPK: w.To.RunPK, StreamID: st.ID}).On("CONFLICT DO NOTHING").Exec(t.Ctx); err != nil {
			return err
		}
	}
	return nil
}
