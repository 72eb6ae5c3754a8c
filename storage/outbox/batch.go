package outbox

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// laneBatch is a written batch on its way to the outbox, in parts that are each
// one delivery. It is made on the writer's caller, so that hashing one batch goes
// on while another one is written.
type laneBatch struct {
	parts  []batchPart
	counts []record.StreamCounts // by index of the run's streams
}

type batchPart struct {
	records []byte // []device.Record
	hash    string
	streams []string // of the records
	n       int
}

// badRecord reports a record that no delivery may hold: it would be read as something else
// than it is. The boundary lets none through.
func badRecord(runID string) error {
	return abi.NewError(abi.CodeInternal, "a record is not JSON, or not UTF-8",
		"report this: the boundary should have refused it").WithDetail("run " + runID)
}

// Put implements run.Sink.
func (r *LaneRun) Put(b *record.Batch) (func(*db.Tx) error, error) {
	cut, err := r.deliveries(b)
	if err != nil {
		return nil, err
	}
	return func(t *db.Tx) error {
		if err := r.enqueueBatch(t, cut); err != nil {
			return err
		}
		if err := record.RememberKeys(t, r.to, b); err != nil {
			return err
		}
		if err := record.MarkBatch(t, r.to, b); err != nil {
			return err
		}
		return record.FollowRejections(t, r.to, b)
	}, nil
}

// bury queues tombstones of records that are gone from the source: the destination has the
// records.
func (r *LaneRun) bury(t *db.Tx, stream int64, keys []string) error {
	at := slices.IndexFunc(r.to.Streams, func(s record.Stream) bool { return s.ID == stream })
	if at < 0 {
		return nil // the run does not collect the stream any more
	}
	var b record.Batch
	when := t.Now.UTC().AppendFormat(nil, time.RFC3339Nano)
	for _, key := range keys {
		b.Add(at, []byte(key), nil, when, true)
	}
	cut, err := r.deliveries(&b)
	if err != nil {
		return err
	}
	return r.enqueueBatch(t, cut)
}

// deliveries cuts a batch into deliveries. The records' data stays byte for byte as
// the guest wrote it.
func (r *LaneRun) deliveries(b *record.Batch) (*laneBatch, error) {
	out := &laneBatch{counts: make([]record.StreamCounts, len(r.to.Streams))}
	var part batchPart
	var record, from []byte
	for i := range b.Records() {
		row := b.Row(i)
		if row.Moved { // in one delivery with the record that it has become, whatever becomes of that
			from = row.Key
			continue
		}
		stream := r.to.Streams[row.Stream].Name
		var ok bool
		if record, ok = appendRecord(record[:0], &row, from, stream); !ok {
			return nil, badRecord(r.RunID)
		}
		from = nil
		if part.n > 0 && (part.n >= r.MaxBatchRecords || len(part.records)+len(record)+2 > r.MaxBatchBytes) {
			out.parts = append(out.parts, part)
			part = batchPart{}
		}
		part.add(record, stream)
		if row.Deleted {
			out.counts[row.Stream].Deleted++
		} else {
			out.counts[row.Stream].New++
			r.noteCoverage(stream, row.Data)
		}
	}
	if part.n > 0 {
		out.parts = append(out.parts, part)
	}
	for i := range out.parts {
		p := &out.parts[i]
		p.records = append(p.records, ']')
		hash, err := device.Hash(p.records)
		if err != nil {
			return nil, badRecord(r.RunID)
		}
		p.hash = hash
	}
	return out, nil
}

func (p *batchPart) add(record []byte, stream string) {
	if p.n == 0 {
		p.records = append(p.records, '[')
	} else {
		p.records = append(p.records, ',')
	}
	p.records = append(p.records, record...)
	p.n++
	if !slices.Contains(p.streams, stream) {
		p.streams = append(p.streams, stream)
	}
}

// appendRecord writes one record as device.Record, which had the key from until now, nil for none. It returns false for one
// whose parts would not come out as they went in.
func appendRecord(to []byte, r *record.Row, from []byte, stream string) ([]byte, bool) {
	if !utf8.Valid(r.Key) || !utf8.Valid(r.When) || !utf8.Valid(r.Data) || !utf8.Valid(from) || !r.Deleted && !json.Valid(r.Data) {
		return to, false
	}
	to = appendJSONText(append(to, `{"stream":`...), stream)
	to = appendJSONText(append(to, `,"record_key":`...), r.Key)
	if !r.Deleted {
		to = append(append(to, `,"data":`...), r.Data...)
	}
	to = appendJSONText(append(to, `,"emitted_at":`...), r.When)
	if r.Deleted {
		to = append(to, `,"op":"`+device.OpDelete+`"`...)
	}
	if from != nil {
		to = appendJSONText(append(to, `,"moved_from":`...), from)
	}
	return append(to, '}'), true
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

// batchStreams reads the streams of a batch's records out of its payload. known is
// false when it cannot be read.
func batchStreams(payload []byte) (streams []string, known bool) {
	var batch struct {
		Records []struct {
			Stream string `json:"stream"`
		} `json:"records"`
	}
	if json.Unmarshal(payload, &batch) != nil {
		return nil, false
	}
	for _, r := range batch.Records {
		streams = append(streams, r.Stream)
	}
	return streams, true
}
