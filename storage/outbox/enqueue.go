package outbox

import (
	"context"
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Enqueue puts a row at the end of the queue, with its contents. A row that is
// there already stays as it is: the same work is queued once. Another content
// under the same id is storage.outbox_collision.
func Enqueue(t *db.Tx, row *Row, payload []byte) error {
	var known Row
	err := t.DB.NewSelect().Model(&known).Where("id = ?", row.ID).Scan(t.Ctx)
	if err == nil {
		if known.Kind != row.Kind || known.BodyHash != row.BodyHash {
			return abi.NewError(CodeOutboxCollision, "two contents of the outbox have one id",
				"report this: the row that was there first is kept").WithDetail(row.Kind + " " + row.ID)
		}
		row.Seq = known.Seq
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	row.Status, row.CreatedUS, row.UpdatedUS = Ready, db.Micros(t.Now), db.Micros(t.Now)
	if _, err := t.DB.NewInsert().Model(row).Exec(t.Ctx); err != nil {
		return err
	}
	_, err = t.DB.NewInsert().Model(&PayloadRow{Seq: row.Seq, Payload: payload}).Exec(t.Ctx)
	return err
}

// index keeps which streams a batch holds records of.
func index(t *db.Tx, seq int64, streams []string) error {
	for _, stream := range streams {
		_, err := t.DB.NewInsert().Model(&outboxStreamRow{Seq: seq, Stream: stream}).On("CONFLICT (seq, stream) DO NOTHING").Exec(t.Ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// EnqueueBlob queues an artifact, as a part of the unit that is being collected.
// The same bytes are queued once.
func (s *Store) EnqueueBlob(ctx context.Context, mediaType string, data []byte) error {
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	hash := device.Sum256(data)
	return s.db.Alone(ctx, "queue an artifact", func(t *db.Tx) error {
		l := s.lane
		row := &Row{
			ID:   device.OutboxID(KindBlobUpload, l.SourceInstanceID, []string{l.ConnectorID, hash}),
			Kind: KindBlobUpload, MediaType: mediaType, BodyHash: hash,
		}
		var open unitRow
		err := t.DB.NewSelect().Model(&open).
			Where("status = ? AND closed = 0 AND run_id IN (SELECT run_id FROM leases)", UnitRunning).Limit(1).Scan(t.Ctx)
		switch {
		case err == nil:
			row.UnitID, row.RunID = open.ID, open.RunID
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		return Enqueue(t, row, append([]byte{}, data...)) // never NULL
	})
}
