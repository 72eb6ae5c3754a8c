package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// A run on a device is written by whatever the device delivers, one transaction
// each, and holds its connection's lease in between as any other run does: its
// holder is the device, and it lasts for as long as a heartbeat is fresh.

func runConflict(why string) *abi.Error {
	return abi.NewError(device.CodeRunConflict, "the run takes nothing more: "+why, "start a new run")
}

// deviceRun returns the writer of a device's run for this transaction, made when
// it is new. A new run of the lane ends the one before, which did not say how it
// ended, as abandoned. runID "" is the lane's run that goes on, or a new one
// without a name.
//
// Invariant 2: the run's epoch is the lease's, or it writes nothing.
func (s *Store) deviceRun(t *db.Tx, src *sourceJoined, runID string) (*RunWriter, error) {
	runID, err := runOf(t, src, runID)
	if err != nil {
		return nil, err
	}
	if err := names("run_id", runID); err != nil {
		return nil, err
	}
	w := s.newWriter(runID, src.ConnectionID, BookmarkIncremental, deviceLease)
	var row runRow
	err = t.DB.NewSelect().Model(&row).Column("pk", "connection_id", "bookmark", "holder", "epoch", "status").Where("run_id = ?", runID).Scan(t.Ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return w, beginDeviceRun(t, w, src)
	}
	switch {
	case err != nil:
		return nil, err
	case row.ConnectionID != src.ConnectionID, row.Holder != deviceHolder(src.DeviceID):
		return nil, runConflict("its id is another run's")
	case row.Status != StatusRunning:
		return nil, runConflict("it has ended")
	}
	w.to.RunPK, w.epoch, w.bookmark = row.PK, row.Epoch, row.Bookmark
	if err := verify(t, w); err != nil {
		if abi.CodeOf(err) == abi.CodeFenced {
			return nil, runConflict("another run has begun")
		}
		return nil, err
	}
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE run_pk = ?", w.to.RunPK).Scan(&w.events); err != nil {
		return nil, err
	}
	return w, heardOf(t, src)
}

func beginDeviceRun(t *db.Tx, w *RunWriter, src *sourceJoined) error {
	var pinned string
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT pinned_sha256 FROM connections WHERE id = ?", src.ConnectionID).Scan(&pinned); err != nil {
		return err
	}
	err := begin(t, HostSink{}, w, NewRun{
		RunID: w.runID, ConnectionID: src.ConnectionID, Connector: src.Connector, ModuleSHA256: pinned, Mode: abi.ModeIncremental,
		Bookmark: w.bookmark, Holder: deviceHolder(src.DeviceID), LeaseTTL: deviceLease,
		// Which streams it is to collect is told at its end: until then nobody knows.
		HolderAlive: func(holder string) bool { return !isDeviceHolder(holder) },
	})
	if abi.CodeOf(err) == abi.CodeConnectionBusy {
		return abi.NewError(device.CodeRetryable, "the host runs this connection itself at the moment", "try again").Wrap(err)
	}
	return err
}

// heardOf renews the lease of a run of the source's device.
func heardOf(t *db.Tx, src *sourceJoined) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE leases SET expires_us = ? WHERE connection_id = ? AND holder = ? AND run_id <> ''",
		micros(t.Now.Add(deviceLease)), src.ConnectionID, deviceHolder(src.DeviceID))
	return err
}

// abandonDeviceRun ends the run that a device holds the connection with.
func abandonDeviceRun(t *db.Tx, connectionID, deviceID string) error {
	var held []leaseRow
	err := t.DB.NewSelect().Model(&held).Where("connection_id = ? AND holder = ? AND run_id <> ''", connectionID, deviceHolder(deviceID)).Scan(t.Ctx)
	if err != nil || len(held) == 0 {
		return err
	}
	if err := takeOver(t, HostSink{}, &held[0], NewRun{HolderAlive: func(string) bool { return false }}); err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE leases SET run_id = '', holder = '', expires_us = 0 WHERE connection_id = ?", connectionID)
	return err
}

// joinStreams has the run write to streams, by their names; w.to.Streams has their
// order.
func joinStreams(t *db.Tx, w *RunWriter, streams []string) error {
	for _, name := range streams {
		st := streamRow{ConnectionID: w.to.ConnectionID, Name: name}
		err := t.DB.NewSelect().Model(&st).Where("connection_id = ? AND name = ?", w.to.ConnectionID, name).Scan(t.Ctx)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = t.DB.NewInsert().Model(&st).Exec(t.Ctx)
		}
		if err != nil {
			return err
		}
		w.to.AddStream(Stream{ID: st.ID, Name: name})
		if _, err := t.DB.NewInsert().Model(&runStreamRow{RunPK: w.to.RunPK, StreamID: st.ID}).On("CONFLICT DO NOTHING").Exec(t.Ctx); err != nil {
			return err
		}
	}
	return nil
}
