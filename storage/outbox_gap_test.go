package storage

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

// LC-05.1, LC-09: a gap is queued as often as it changes and no more often, and
// its memory outlives the rows that told of it.
func TestGapsAreTold(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	gap := Gap{Stream: "a", ParentStream: "p", RecordKey: "k", Reason: "rate_limited", Class: "c", NextAttemptAfter: x.clock.Now().Add(time.Minute)}
	w := x.begin("c")
	first := x.clock.Now().UTC()
	x.ok(w.PutGap(ctx, gap))
	x.ok(w.PutGap(ctx, gap)) // it waits to be told already
	x.ok(w.Flush(ctx))
	item := x.one(KindGap)
	var g device.Gap
	x.ok(json.Unmarshal(item.Body("d", ""), &g))
	x.same(g, device.Gap{
		ConnectorID: "demo", SourceInstanceID: "src1", Reason: "rate_limited", Class: "c", Retryable: true, FirstSeenAt: first, BackoffMS: 60000,
		Stream: "a", ParentStream: "p", Boundary: "k", FirstSeenRunID: "run1", LastRunID: "run1",
	})
	x.same(item.Recovered, false)
	x.ok(x.s.Acknowledge(ctx, item))
	x.finish(w)
	x.deliver()
	x.same(x.counts().BacklogOpen, 1)

	// Everything that was told is pruned, but for one row: the gap is still known.
	x.clock.forward(time.Hour)
	_, err := x.s.PruneDelivered(ctx, 1)
	x.ok(err)
	w = x.begin("c")
	leased, err := w.LeaseGaps(ctx, GapPage{Streams: []string{"a"}, MaxBytes: 1 << 20, Due: x.clock.Now()})
	x.ok(err)
	x.ok(w.GapOutcome(ctx, leased[0].ID, leased[0].LeaseID, false)) // an attempt is nothing to tell
	x.same(len(x.claim("h", 1)), 0)
	x.ok(w.GapOutcome(ctx, leased[0].ID, leased[0].LeaseID, true))
	x.ok(w.PutGap(ctx, gap)) // and there it is again
	x.ok(w.GiveUp(ctx, leased[0].ID))
	x.ok(w.Flush(ctx))
	var said []string
	for range 3 {
		items := x.claim("h", 9)
		x.same(len(items), 1) // in their order
		var g device.Gap
		x.ok(json.Unmarshal(items[0].Payload, &g))
		said = append(said, fmt.Sprintf("recovered %v, retryable %v, %s, %s", items[0].Recovered, g.Retryable, g.FirstSeenRunID, g.LastRunID))
		x.ok(x.s.Acknowledge(ctx, &items[0]))
	}
	x.same(said, []string{
		"recovered true, retryable false, , ", "recovered false, retryable true, run1, run2", "recovered false, retryable false, run1, run2",
	})
	c := x.counts()
	x.same([]any{c.BacklogOpen, c.GapsOpen}, []any{0, 1})
}

// The same artifact is queued once, and its bytes go as they are.
func TestBlobs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	data := []byte{'{', 0, 0xff, '}'}
	x.ok(x.s.EnqueueBlob(ctx, "", data))
	x.ok(x.s.EnqueueBlob(ctx, "image/png", data))
	x.ok(x.s.EnqueueBlob(ctx, "image/png", nil))
	items := x.claim("h", 9)
	x.same(len(items), 2)
	x.same([]any{items[0].MediaType, slices.Equal(items[0].Body("dev", "con"), data), len(items[1].Body("dev", "con"))}, []any{"application/octet-stream", true, 0})
	x.ok(x.s.Acknowledge(ctx, &items[0]))
	x.ok(x.s.EnqueueBlob(ctx, "", data))
	x.same(x.state(), "0 0 1 0 0 1 draining")
}

// Two contents under one id are an error, and the first stays.
func TestACollisionIsRefused(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.ok(x.s.EnqueueBlob(t.Context(), "", []byte("x")))
	err := x.s.db.Alone(t.Context(), "collide", func(tx *db.Tx) error {
		var row outbox.Row
		if err := tx.DB.NewSelect().Model(&row).Limit(1).Scan(tx.Ctx); err != nil {
			return err
		}
		return outbox.Enqueue(tx, &outbox.Row{ID: row.ID, Kind: row.Kind, BodyHash: "other"}, []byte("y"))
	})
	x.code(err, CodeOutboxCollision)
	x.same(string(x.one(KindBlobUpload).Payload), "x")
}

// LC-01.1, Invariant 1: when the disk is full, what is queued is whole: no row
// without its contents, no number without its batch, and no commit without what
// it covers.
func TestAFullDiskLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t, func(o *Options) { o.maxPages = 400 })
	w := x.begin("c")
	var err error
	for i := 0; err == nil; i++ {
		if i > 1000 {
			t.Fatal("the disk never fills")
		}
		if err = put(ctx, w, 0, fmt.Sprintf(`k%d="%010000d"`, i, i)); err == nil {
			err = w.CommitSlice(ctx, "a", fmt.Appendf(nil, "%d", i), "s")
		}
	}
	err = w.Finish(ctx, Outcome{Status: "failed", Reason: "runtime_error"})
	x.sound()
	var halves, batches, checkpoints, seq int64
	x.ok(x.s.db.Read.NewRaw(`SELECT (SELECT count(*) FROM outbox WHERE seq NOT IN (SELECT seq FROM outbox_payloads)) +
(SELECT count(*) FROM outbox WHERE kind = 'record_batch' AND seq NOT IN (SELECT seq FROM outbox_streams)) +
(SELECT count(*) FROM outbox WHERE unit_id NOT IN (SELECT id FROM work_units)),
(SELECT count(*) FROM outbox WHERE kind = 'record_batch'), (SELECT count(*) FROM outbox WHERE kind = 'checkpoint'),
(SELECT batch_seq FROM lanes)`).Scan(ctx, &halves, &batches, &checkpoints, &seq))
	if halves != 0 || batches == 0 || seq != batches || checkpoints > batches {
		t.Errorf("got %d halves, %d batches, %d checkpoints, number %d, the end %v; want no half, and the number of the batches", halves, batches, checkpoints, seq, err)
	}
}
