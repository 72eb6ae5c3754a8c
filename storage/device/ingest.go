package device

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// IngestBatch writes a delivery of records and that it was taken, in one
// transaction, and returns how many it held, with those that were rejected. The same delivery again returns the
// same and writes nothing; replayed says so. Another one under its name is
// device_batch_conflict, one of a run that has ended device_run_conflict.
func (s *Store) IngestBatch(ctx context.Context, b IngestBatch) (accepted int64, replayed bool, err error) {
	if err := b.check(); err != nil {
		return 0, false, err
	}
	row := deviceBatchRow{
		DeviceID: b.Source.DeviceID, BatchID: b.BatchID, SourceID: b.Source.ID, RunID: b.RunID, BodySHA256: b.BodyHash, Seq: b.Seq, Accepted: int64(b.Records.Len()),
	}
	err = s.db.Alone(ctx, "take the delivery", func(t *db.Tx) error {
		src, err := feed(t, b.Source)
		if err != nil {
			return err
		}
		if replayed, err = deliveredBefore(t, &row); err != nil || replayed {
			return err
		}
		w, err := s.deviceRun(t, src, b.RunID)
		if err != nil {
			return err
		}
		row.RunID = w.RunID()
		if err := joinStreams(t, w, b.Streams); err != nil {
			return err
		}
		if err := record.Put(t, w.To, b.Records); err != nil {
			return err
		}
		if err := tellRejected(t, w, b.Rejected); err != nil {
			return err
		}
		row.AtUS = db.Micros(t.Now)
		if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
			return err
		}
		if err := clearRefusal(t, src, b.Streams); err != nil {
			return err
		}
		if slices.Contains(b.Streams, device.CoverageStream) {
			return evidence.StoresMoved(t, src.ConnectionID)
		}
		return nil
	})
	return row.Accepted, replayed, err
}

func (b *IngestBatch) check() error {
	if err := checkName("batch_id", b.BatchID); err != nil {
		return err
	}
	if !device.IsSum256(b.BodyHash) {
		return badRequest("body_hash", "a SHA-256")
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(b.Streams))); len(unique) != len(b.Streams) {
		return abi.NewError(abi.CodeInternal, "a delivery names a stream twice", "")
	}
	if !b.Records.Fits(len(b.Streams)) {
		return abi.NewError(abi.CodeInternal, "a record's key or its stream cannot be kept", "report this: the boundary should have refused it")
	}
	return nil
}

// deliveredBefore reports whether the delivery was taken before, and fills in
// what it was answered.
func deliveredBefore(t *db.Tx, row *deviceBatchRow) (bool, error) {
	before := deviceBatchRow{DeviceID: row.DeviceID, BatchID: row.BatchID}
	err := t.DB.NewSelect().Model(&before).WherePK().Scan(t.Ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case before.BodySHA256 != row.BodySHA256, before.Seq != row.Seq, before.SourceID != row.SourceID:
		return false, abi.NewError(device.CodeBatchConflict, "another delivery was taken under this batch_id", "give each delivery an id of its own")
	}
	row.Accepted = before.Accepted
	return true, nil
}

// deviceSlice marks a cursor that a device committed while its run went on.
const deviceSlice = "checkpoint"

// CommitDeviceState moves cursors while a run goes on; runID "" is the run that does.
//
// Invariant 1: a device commits a cursor behind what it covers, each delivery
// acknowledged when it is durable.
func (s *Store) CommitDeviceState(ctx context.Context, src *SourceInstance, runID string, state map[string][]byte) error {
	if err := checkState(state); err != nil {
		return err
	}
	return s.db.Alone(ctx, "commit the cursors", func(t *db.Tx) error {
		row, err := feed(t, src)
		if err != nil {
			return err
		}
		w, err := s.deviceRun(t, row, runID)
		if err != nil {
			return err
		}
		for _, stream := range slices.Sorted(maps.Keys(state)) {
			if err := run.CommitState(t, w, stream, tables.JSONText(state[stream]), deviceSlice); err != nil {
				return err
			}
			if err := run.AddEvent(t, w, run.Event{Type: eventAdvanced, Stream: stream}); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxDeviceStreams bounds the streams of one message of a device.
const maxDeviceStreams = 1000

func checkState[T ~[]byte](state map[string]T) error {
	if len(state) > maxDeviceStreams {
		return badRequest("state", "of so few streams")
	}
	for stream, cursor := range state {
		if err := checkName("state", stream); err != nil {
			return err
		}
		if len(cursor) > 0 && !json.Valid(cursor) {
			return badRequest("state", "JSON")
		}
	}
	return nil
}
