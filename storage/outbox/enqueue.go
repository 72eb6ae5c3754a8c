package outbox

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/record"
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

// enqueueBatch queues the parts of one written batch, in the run's own order.
func (r *LaneRun) enqueueBatch(t *db.Tx, b *laneBatch) error {
	tallies, err := record.OpenTallies(t, r.to)
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
	unit, err := r.Unit(t)
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
		row := &Row{
			ID:   device.OutboxID(KindRecordBatch, r.SourceInstanceID, []any{r.ConnectorID, seq, id}),
			Kind: KindRecordBatch, UnitID: unit, RunID: r.RunID, BodyHash: part.hash, Indexed: true,
		}
		if err := Enqueue(t, row, part.payload(&r.Lane, r.RunID, id, seq)); err != nil {
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

// Body returns the payload with what only the sender knows in front: a batch names its
// device, the end of a run its device and its connection. The queued payload is not decoded.
func (i *Item) Body(deviceID, connectorInstanceID string) []byte {
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
