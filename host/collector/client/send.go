package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Send delivers one row of the outbox. nil means that the host acknowledged it: the answer
// was read, and it answers the item that was sent (LC-01.1).
func (l *Lane) Send(ctx context.Context, i *storage.OutboxItem) error {
	if i.Kind == storage.KindBlobUpload {
		return l.sendBlob(ctx, i)
	}
	body := i.Body(l.Profile.DeviceID, l.Profile.ConnectorInstanceID)
	switch i.Kind {
	case storage.KindRecordBatch:
		return l.sendBatch(ctx, body)
	case storage.KindCheckpoint:
		return l.sendCheckpoint(ctx, body)
	case storage.KindGap:
		return l.sendGap(ctx, body, i.Recovered)
	case storage.KindRunCommit:
		return l.sendCommit(ctx, body)
	}
	return badShape("its kind is unknown")
}

func (l *Lane) sendBatch(ctx context.Context, body []byte) error {
	var b device.Batch
	if json.Unmarshal(body, &b) != nil || b.BatchID == "" || b.BodyHash == "" || l.foreign(b.DeviceID, b.SourceInstanceID) {
		return badShape("it is no batch of this lane")
	}
	if l.PublicOnly {
		return l.sendPublicBatch(ctx, body, &b)
	}
	records := int64(0)
	count := func(int, *device.RawRecord, bool) error { records++; return nil }
	if device.Records(b.Records, count) != nil {
		return badShape("it is no batch of records")
	}
	return l.postBatch(ctx, body, &b, records)
}

// postBatch sends a batch of some records.
func (l *Lane) postBatch(ctx context.Context, body []byte, b *device.Batch, records int64) error {
	var out device.BatchAnswer
	if err := l.Client.do(ctx, call{method: http.MethodPost, path: device.PathIngest(l.Profile.DeviceID), body: body, into: &out}); err != nil {
		return err
	}
	if out.Status != "accepted" || out.BatchID != b.BatchID || out.BodyHash != b.BodyHash || out.SourceInstanceID != b.SourceInstanceID ||
		out.Rejected != 0 || out.Accepted != records {
		return Unbelievable("it does not acknowledge the batch")
	}
	return nil
}

func (l *Lane) sendCheckpoint(ctx context.Context, body []byte) error {
	var s device.StateCommit
	if json.Unmarshal(body, &s) != nil || len(s.State) == 0 {
		return badShape("it is no checkpoint")
	}
	if l.PublicOnly {
		return l.putState(ctx, s.State)
	}
	return l.confirmState(ctx, device.PathStateAfter(l.Profile.DeviceID, l.Profile.SourceInstanceID, ""), body, s.State)
}

// putState commits cursors as the public protocol does: by themselves.
func (l *Lane) putState(ctx context.Context, state map[string]json.RawMessage) error {
	if l.withhold(state) && len(state) == 0 {
		return ErrUnsaid
	}
	body, err := json.Marshal(device.StateCommit{State: state})
	if err != nil {
		return badShape("it is no checkpoint")
	}
	return l.confirmState(ctx, device.PathState(l.Profile.DeviceID, l.Profile.SourceInstanceID), body, state)
}

func (l *Lane) confirmState(ctx context.Context, path string, body []byte, state map[string]json.RawMessage) error {
	var out device.State
	if err := l.Client.do(ctx, call{method: http.MethodPut, path: path, body: body, most: maxStateAnswer, into: &out}); err != nil {
		return err
	}
	for stream, cursor := range state {
		if out.SourceInstanceID != l.Profile.SourceInstanceID || !same(out.State[stream], cursor) {
			return Unbelievable("it does not confirm the checkpoint")
		}
	}
	return nil
}

func (l *Lane) sendGap(ctx context.Context, body []byte, recovered bool) error {
	var g struct {
		Reason           string `json:"reason"`
		Stream           string `json:"stream"`
		SourceInstanceID string `json:"source_instance_id"`
	}
	if json.Unmarshal(body, &g) != nil || g.Reason == "" || g.SourceInstanceID != l.Profile.SourceInstanceID {
		return badShape("it is no gap of this lane")
	}
	path, status := device.PathGaps(l.Profile.DeviceID, l.Profile.SourceInstanceID), ""
	if recovered {
		path, status = device.PathGapsRecovered(l.Profile.DeviceID, l.Profile.SourceInstanceID), "recovered"
	}
	if l.PublicOnly {
		var err error
		if body, err = asPublicGap(body, recovered); err != nil {
			return badShape("it is no gap")
		}
	}
	var out device.GapAnswer
	if err := l.Client.do(ctx, call{method: http.MethodPost, path: path, body: body, into: &out}); err != nil {
		return err
	}
	if out.GapID == "" || !l.PublicOnly && out.Stream != g.Stream || status != "" && out.Status != status {
		return Unbelievable("it does not acknowledge the gap")
	}
	return nil
}

// sendCommit delivers the end of a run. The host says what it has received, as a
// hash, so that neither side commits what the other did not say.
func (l *Lane) sendCommit(ctx context.Context, body []byte) error {
	var r device.RunCommit
	if json.Unmarshal(body, &r) != nil || r.CommitID == "" || l.foreign(r.DeviceID, r.SourceInstanceID) {
		return badShape("it is no end of a run of this lane")
	}
	if l.PublicOnly {
		return l.sendPublicCommit(ctx, body, &r)
	}
	return l.postCommit(ctx, body, &r)
}

func (l *Lane) postCommit(ctx context.Context, body []byte, r *device.RunCommit) error {
	hash, err := device.CommitHash(body)
	if r.Boundary == nil { // queued by an older collector
		hash, err = device.Hash(body)
	}
	if err != nil {
		return badShape("it has no canonical form")
	}
	var out device.RunCommitAnswer
	err = l.Client.do(ctx, call{method: http.MethodPost, path: device.PathRunCommits(l.Profile.DeviceID, l.Profile.SourceInstanceID), body: body, into: &out})
	if err != nil {
		return err
	}
	if out.CommitID != r.CommitID || out.RunID != r.RunID || out.EnvelopeHash != hash {
		return Unbelievable("it commits another end of the run than was sent")
	}
	return nil
}

func (l *Lane) sendBlob(ctx context.Context, i *storage.OutboxItem) error {
	if device.Sum256(i.Payload) != i.BodyHash {
		return badShape("the artifact is not what was kept")
	}
	mediaType := i.MediaType
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	body := i.Payload
	if body == nil {
		body = []byte{}
	}
	var out device.BlobAnswer
	err := l.Client.do(ctx, call{
		method: http.MethodPut, path: device.PathBlob(l.Profile.DeviceID, l.Profile.SourceInstanceID, i.BodyHash),
		body: body, mediaType: mediaType, into: &out,
	})
	if l.PublicOnly && Unrouted(err) {
		return noArtifacts()
	}
	if err == nil && (out.SHA256 != i.BodyHash || out.Bytes != int64(len(body))) {
		return Unbelievable("it does not acknowledge the artifact")
	}
	return err
}

// foreign reports whether a row names another device or source instance.
func (l *Lane) foreign(device, source string) bool {
	return device != l.Profile.DeviceID || source != l.Profile.SourceInstanceID
}

// same reports whether two JSON texts are the same value.
func same(a, b []byte) bool {
	one, err := device.Hash(a)
	if err != nil {
		return false
	}
	other, err := device.Hash(b)
	return err == nil && one == other
}
