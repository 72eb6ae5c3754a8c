package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// enqueue puts a row at the end of the queue, with its contents. A row that is
// there already stays as it is: the same work is queued once. Another content
// under the same id is storage.outbox_collision.
func enqueue(t *db.Tx, row *outboxRow, payload []byte) error {
	var known outboxRow
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
	row.Status, row.CreatedUS, row.UpdatedUS = OutboxReady, micros(t.Now), micros(t.Now)
	if _, err := t.DB.NewInsert().Model(row).Exec(t.Ctx); err != nil {
		return err
	}
	_, err = t.DB.NewInsert().Model(&outboxPayloadRow{Seq: row.Seq, Payload: payload}).Exec(t.Ctx)
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

// enqueueBatch queues the parts of one written batch, in the run's own order.
func (r *laneRun) enqueueBatch(t *db.Tx, b *laneBatch) error {
	tallies, err := openTally(t, r.to)
	if err != nil {
		return err
	}
	for i, c := range b.counts {
		tallies[i].New += c.New
		tallies[i].Deleted += c.Deleted
	}
	if len(b.parts) == 0 {
		return nil // every record of it was rejected
	}
	unit, err := r.unit(t)
	if err != nil {
		return err
	}
	for _, part := range b.parts {
		var seq int64
		err := t.DB.QueryRowContext(t.Ctx, "UPDATE lanes SET batch_seq = batch_seq + 1 WHERE id = 1 RETURNING batch_seq").Scan(&seq)
		if err != nil {
			return err
		}
		id := device.BatchID(r.ConnectorID, r.SourceInstanceID, seq, part.hash)
		row := &outboxRow{
			ID:   device.OutboxID(KindRecordBatch, r.SourceInstanceID, []any{r.ConnectorID, seq, id}),
			Kind: KindRecordBatch, UnitID: unit, RunID: r.runID, BodyHash: part.hash, Indexed: true,
		}
		if err := enqueue(t, row, part.payload(r.Lane, r.runID, id, seq)); err != nil {
			return err
		}
		if err := index(t, row.Seq, part.streams); err != nil {
			return err
		}
	}
	return nil
}

// payload is device.Batch without its device, with the records as they are.
func (p *batchPart) payload(l *Lane, runID, batchID string, seq int64) []byte {
	b := make([]byte, 0, len(p.records)+512)
	for _, field := range []struct{ name, value string }{
		{`{"source_instance_id":`, l.SourceInstanceID},
		{`,"connector_id":`, l.ConnectorID},
		{`,"run_id":`, runID},
		{`,"batch_id":`, batchID},
		{`,"body_hash":`, p.hash},
	} {
		b = appendJSONText(append(b, field.name...), field.value)
	}
	b = strconv.AppendInt(append(b, `,"batch_seq":`...), seq, 10)
	b = append(append(b, `,"records":`...), p.records...)
	return append(b, '}')
}

// Body returns the payload with what only the sender knows in front: a batch
// names its device, the end of a run its device and its connection. What was
// queued is not decoded.
func (i *OutboxItem) Body(deviceID, connectorInstanceID string) []byte {
	if len(i.Payload) == 0 || i.Payload[0] != '{' {
		return i.Payload
	}
	b := make([]byte, 0, len(i.Payload)+256)
	switch i.Kind {
	case KindRecordBatch:
		b = appendJSONText(append(b, `{"device_id":`...), deviceID)
	case KindRunCommit:
		b = appendJSONText(append(b, `{"device_id":`...), deviceID)
		b = appendJSONText(append(b, `,"connector_instance_id":`...), connectorInstanceID)
	default:
		return i.Payload
	}
	return append(append(b, ','), i.Payload[1:]...)
}

// EnqueueBlob queues an artifact, as a part of the unit that is being collected.
// The same bytes are queued once.
func (s *Store) EnqueueBlob(ctx context.Context, mediaType string, data []byte) error {
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	return s.inLane(ctx, "queue an artifact", func(t *db.Tx) error {
		l := s.opts.Lane
		row := &outboxRow{
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
		return enqueue(t, row, append([]byte{}, data...)) // never NULL
	})
}
