package device

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Devices returns all devices, the oldest first, revoked ones as well.
func (s *Store) Devices(ctx context.Context) ([]Device, error) {
	var rows []deviceRow
	if err := s.db.Read.NewSelect().Model(&rows).Order("created_us", "id").Scan(ctx); err != nil {
		return nil, s.db.Fail("read the devices", err)
	}
	out := make([]Device, len(rows))
	for i := range rows {
		out[i] = *rows[i].public()
	}
	return out, nil
}

// SourceInstances returns what feeds a connection, by its id, or everything that
// feeds any, for "": by the connections' names, the oldest first, revoked ones as
// well. A connection without any is this host's own.
func (s *Store) SourceInstances(ctx context.Context, connectionID string) ([]SourceInstance, error) {
	var rows []tables.SourceJoined
	q := tables.SelectSources(s.db.Read, &rows)
	if connectionID != "" {
		q = q.Where("s.connection_id = ?", connectionID)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the source instances", err)
	}
	out := make([]SourceInstance, len(rows))
	for i := range rows {
		out[i] = *publicSource(&rows[i])
	}
	return out, nil
}

// SourceInstance returns one source of a device, or not_found.
func (s *Store) SourceInstance(ctx context.Context, deviceID, sourceID string) (*SourceInstance, error) {
	var rows []tables.SourceJoined
	if err := tables.SelectSources(s.db.Read, &rows).Where("s.id = ? AND s.device_id = ?", sourceID, deviceID).Scan(ctx); err != nil {
		return nil, s.db.Fail("read the source instance", err)
	}
	if len(rows) == 0 {
		return nil, unknownSource()
	}
	return publicSource(&rows[0]), nil
}

func unknownSource() *abi.Error {
	return abi.NewError(device.CodeNotFound, "the device has no such source instance", "enroll the device again")
}

// sourceByID reads a source for update.
func sourceByID(t *db.Tx, id string) (*tables.SourceJoined, error) {
	var rows []tables.SourceJoined
	if err := tables.SelectSources(t.DB, &rows).Where("s.id = ?", id).Scan(t.Ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, unknownSource()
	}
	return &rows[0], nil
}

// feed reads a source that something was delivered for: it may have been revoked
// or removed since its device was let in.
func feed(t *db.Tx, src *SourceInstance) (*tables.SourceJoined, error) {
	row, err := sourceByID(t, src.ID)
	switch {
	case err != nil:
		return nil, err
	case row.DeviceID != src.DeviceID:
		return nil, unknownSource()
	case row.RevokedUS != 0:
		return nil, unauthorizedDevice()
	}
	return row, nil
}

// RevokeDevice ends a device's credential, now or when it was ended before, and returns when.
// Its later messages are not taken, and its last one is not trusted; a run of it that goes on
// is abandoned.
func (s *Store) RevokeDevice(ctx context.Context, deviceID string) (time.Time, error) {
	var when time.Time
	err := s.db.Alone(ctx, "revoke the device", func(t *db.Tx) error {
		if err := revokeDevice(t, deviceID); err != nil {
			return err
		}
		d := deviceRow{ID: deviceID}
		err := t.DB.NewSelect().Model(&d).WherePK().Scan(t.Ctx)
		when = db.Time(d.RevokedUS)
		return err
	})
	return when, err
}

func revokeDevice(t *db.Tx, id string) error {
	var known []deviceRow
	if err := t.DB.NewSelect().Model(&known).Where("id = ?", id).Scan(t.Ctx); err != nil {
		return err
	}
	switch {
	case len(known) == 0:
		return abi.NewError(device.CodeNotFound, "there is no such device", "`pdpp-host devices list` shows the ones there are")
	case known[0].RevokedUS != 0:
		return nil
	}
	if _, err := t.DB.ExecContext(t.Ctx, "UPDATE devices SET revoked_us = ? WHERE id = ?", db.Micros(t.Now), id); err != nil {
		return err
	}
	if _, err := t.DB.NewDelete().Model((*deviceBatchRow)(nil)).Where("device_id = ?", id).Exec(t.Ctx); err != nil {
		return err // nothing of it is taken any more, not even again
	}
	var fed []string
	err := t.DB.NewSelect().Model((*tables.SourceRow)(nil)).Column("connection_id").Distinct().Where("device_id = ?", id).Scan(t.Ctx, &fed)
	if err != nil {
		return err
	}
	for _, connection := range fed {
		if err := abandonDeviceRun(t, connection, id); err != nil {
			return err
		}
		if err := evidence.DevicesMoved(t, connection); err != nil {
			return err
		}
	}
	return nil
}
