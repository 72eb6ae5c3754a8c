package api

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// ingest takes one batch of records, whole or not at all. The same batch again has
// the same answer, and advances nothing.
func (a *API) ingest(c *call) (any, error) {
	var b device.Batch
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	if err := checkBatch(&b); err != nil {
		return nil, err
	}
	if b.DeviceID != c.device.ID {
		return nil, refuse(http.StatusForbidden, device.CodeForbidden, "the batch is another device's")
	}
	src, err := a.sourceOf(c, b.SourceInstanceID)
	if err != nil {
		return nil, err
	}
	c.source = src
	answer, err := a.takeBatch(c, src, &b)
	if err == nil {
		return answer, nil
	}
	r := *refusalOf(err)
	if r.stream == "" {
		r.stream = firstStream(b.Records)
	}
	return nil, &r
}

// firstStream is the stream of the first record of a batch, if it is a name.
func firstStream(records []byte) (name string) {
	_ = device.Records(records, func(_ int, r *device.RawRecord, _ bool) error {
		name = streamName(r)
		return errEnough
	})
	return name
}

// takeBatch takes a batch of a source.
func (a *API) takeBatch(c *call, src *storage.SourceInstance, b *device.Batch) (any, error) {
	if err := bodyOf(src, b.SourceInstanceID, b.ConnectorID); err != nil {
		return nil, err
	}
	if !b.Intact() {
		r := refuse(http.StatusBadRequest, device.CodeBatchHashMismatch, "body_hash is not that of the records")
		r.param = "body_hash"
		return nil, r
	}
	m, err := a.described(c.r.Context(), src, b.RunID, a.seeRecords(b.Records))
	if err != nil {
		return nil, err
	}
	in, err := a.accept(m, isPublic(src, b.RunID), b.Records)
	if err != nil {
		return nil, err
	}
	accepted, replayed, err := a.store.IngestBatch(c.r.Context(), storage.IngestBatch{
		Source: src, RunID: b.RunID, BatchID: b.BatchID, BodyHash: b.BodyHash, Seq: b.BatchSeq, Records: in.batch, Streams: in.streams, Rejected: in.rejected,
	})
	if err != nil {
		return nil, err
	}
	if !replayed {
		a.delivered.Add(accepted)
	}
	var rejected int64
	for _, r := range in.rejected {
		rejected += r.Count
		a.logger.Warn("records of a device break a rule, and were not taken", "source", src.ID, "stream", r.Stream, "count", r.Count, "why", r.Why)
	}
	return device.BatchAnswer{
		Object: "device_ingest_batch_result", Status: "accepted", Accepted: accepted - rejected, Rejected: rejected, BatchID: b.BatchID, BodyHash: b.BodyHash,
		DeviceID: c.device.ID, SourceInstanceID: src.ID, ConnectorInstanceID: src.ConnectionID,
	}, nil
}

func checkBatch(b *device.Batch) error {
	switch {
	case !isID(b.BatchID):
		return wrong("batch_id", "must be a short id")
	case b.RunID != "" && !isID(b.RunID):
		return wrong("run_id", "must be a short id, or left out")
	case !isCount(b.BatchSeq):
		return wrong("batch_seq", "must be a count")
	case !device.IsSum256(b.BodyHash):
		return wrong("body_hash", "must be a SHA-256 in lower-case hex")
	case len(b.Records) == 0 || b.Records[0] != '[':
		return wrong("records", "must be an array")
	}
	return nil
}
