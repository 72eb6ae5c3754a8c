package run

import (
	"context"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// How much of one run may be queued.
const (
	queuedBatches = 2
	queuedOps     = 64
)

// Sinks is where what runs collect goes: into the store's own records and cursors, or
// into the queue of a collector's outbox.
type Sinks interface {
	// Refuses returns why a run under this bookmark cannot begin; nil: it can.
	Refuses(bookmark string) error
	// Open returns the sink of one run.
	Open(w *Writer) Sink
	// Delivered is the table that has the keys of the records that arrived.
	Delivered() bun.Ident
	// Deserted is the reason of a run whose process is gone.
	Deserted() abi.Reason
}

// Sink takes what one run collects, within the transaction that the run's own rows
// are written in.
type Sink interface {
	// Begin returns the cursors that the run starts from, by stream.
	Begin(t *db.Tx) (map[string][]byte, error)
	// Put returns what writes a batch; an error is the caller's. It is called outside the
	// transaction, so that the work of preparing a batch is.
	Put(b *record.Batch) (func(*db.Tx) error, error)
	// Checkpoint commits a cursor, or has the destination commit it.
	Checkpoint(t *db.Tx, stream, cursor, sliceID string) error
	// Gap is told of each change of a gap that a reader elsewhere has to know.
	Gap(t *db.Tx, id string) error
	// Commit takes the cursors of the run's end, before the run's row is written; End is
	// told of the row.
	Commit(t *db.Tx, checkpoints []StateCommit) error
	End(t *db.Tx, row *tables.RunRow, checkpoints []StateCommit) error
}

// StateCommit is a staged cursor that may be committed. Cursor is JSON.
type StateCommit struct {
	Stream string
	Cursor []byte
}

// Writer writes one run, which holds its connection's lease. Operations are
// queued and written in the order of the calls; after one has failed, every
// later one fails with the same error, but for the outcome of a failed run (see
// Finish). Methods are safe for concurrent use.
type Writer struct {
	db       *db.DB
	sink     Sink
	table    bun.Ident      // see Sink.Delivered
	To       *record.Target // of its records
	runID    string
	bookmark string
	epoch    int64
	ttl      time.Duration
	state    map[string][]byte
	history  time.Duration // how long runs are kept; 0: for ever

	batches chan struct{} // a slot for each queued batch
	ops     chan struct{} // a slot for each other queued operation
	free    chan *record.Batch

	mu     sync.Mutex
	failed error
	ended  bool
	swept  []record.Swept
	events int64    // the last event's number; the writer goroutine's alone
	leases int64    // gap leases given; the writer goroutine's alone
	leased gapPlace // of the last gap leased; the writer goroutine's alone
}

// gapPlace is a place in the order in which gaps are leased.
type gapPlace struct {
	bun.BaseModel `bun:"table:gaps"`

	Attempts  int64  `bun:"attempt_count"`
	CreatedUS int64  `bun:"created_us"`
	ID        string `bun:"id"`
}

// Epoch returns the number of this holding of the lease: 1 for a connection's
// first run, one more for each later one.
func (w *Writer) Epoch() int64 { return w.epoch }

// RunID returns the run's id.
func (w *Writer) RunID() string { return w.runID }

// LastEvent returns the number of the run's newest event. The writer goroutine's alone.
func (w *Writer) LastEvent() int64 { return w.events }

// State returns the cursors that were committed, when the run began, under the
// run's own bookmark, by stream.
func (w *Writer) State() map[string][]byte {
	out := make(map[string][]byte, len(w.state))
	for k, v := range w.state {
		out[k] = append([]byte(nil), v...)
	}
	return out
}

// NewBatch returns an empty batch, reusing the memory of a written one.
func (w *Writer) NewBatch() *record.Batch {
	select {
	case b := <-w.free:
		return b
	default:
		return &record.Batch{}
	}
}

// Write queues a batch and takes it over. It blocks while two batches are
// queued, until ctx ends. A full batch holds about 5,000 records or 4 MiB; it
// becomes one transaction. The error may be of an earlier operation.
func (w *Writer) Write(ctx context.Context, b *record.Batch) error {
	if err := w.failure(); err != nil {
		return err
	}
	if b.Len() == 0 {
		w.recycle(b)
		return nil
	}
	if !b.Fits(len(w.To.Streams)) {
		return w.fail(abi.NewError(abi.CodeInternal, "a record's key is empty or holds a NUL, or its stream is not the run's",
			"report this: the boundary should have refused it").WithDetail("run " + w.runID))
	}
	fn, err := w.sink.Put(b)
	if err != nil {
		return w.fail(err)
	}
	select {
	case w.batches <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	return w.push(&queued{w: w, batch: b}, &db.Op{Rows: b.Len(), Bytes: b.Bytes(), Slot: w.batches}, fn)
}

// queue queues fn, blocking while many operations are queued.
func (w *Writer) queue(ctx context.Context, fn func(*db.Tx) error) error {
	if err := w.failure(); err != nil {
		return err
	}
	select {
	case w.ops <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	return w.push(&queued{w: w}, &db.Op{Slot: w.ops}, fn)
}

// await queues fn and waits until it is durable, with everything before it.
func (w *Writer) await(ctx context.Context, fn func(*db.Tx) error) error {
	if err := w.failure(); err != nil {
		return err
	}
	return w.wait(ctx, &queued{w: w}, fn)
}

// push queues an operation, urgent when its slots are used up.
func (w *Writer) push(q *queued, o *db.Op, fn func(*db.Tx) error) error {
	o.Owner, o.Do = q, fn
	o.Urgent = o.Done != nil || len(o.Slot) == cap(o.Slot)
	return w.db.Push(o)
}

// wait queues an operation and waits for its end.
func (w *Writer) wait(ctx context.Context, q *queued, fn func(*db.Tx) error) error {
	done := make(chan error, 1)
	if err := w.push(q, &db.Op{Done: done}, fn); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Flush waits until everything queued before it is durable.
func (w *Writer) Flush(ctx context.Context) error {
	return w.await(ctx, func(*db.Tx) error { return nil })
}

// Heartbeat renews the lease for another LeaseTTL. The error is storage.fenced
// when a newer run has taken the connection over.
func (w *Writer) Heartbeat(ctx context.Context) error {
	return w.await(ctx, func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE leases SET expires_us = ? WHERE connection_id = ?",
			db.Micros(t.Now.Add(w.ttl)), w.To.ConnectionID)
		return err
	})
}

// Counts returns what this run's durable records did, by index of
// NewRun.Streams.
func (w *Writer) Counts() []record.StreamCounts {
	return w.To.Counts()
}

// Abandon drops what is queued and stops the writer without an outcome, as a
// killed process would: the lease stays until it expires or its holder is gone.
func (w *Writer) Abandon() {
	_ = w.fail(abi.NewError(abi.CodeFenced, "the run was abandoned", "").WithDetail("run " + w.runID))
}

func (w *Writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil && w.ended {
		return abi.NewError(abi.CodeInternal, "the run has ended", "").WithDetail("run " + w.runID)
	}
	return w.failed
}

// fail keeps the first failure and returns it.
func (w *Writer) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failed = err
	}
	return w.failed
}

// queued is an operation of the run in the writer's queue; it implements db.Owner.
type queued struct {
	w     *Writer
	batch *record.Batch // is used again afterwards; nil: none
	soft  bool          // when a gap is refused, the run may go on
	last  bool          // a failed run's own end: written although the run failed
}

// Refused implements db.Owner.
func (q *queued) Refused(err error) bool { return q.soft && abi.CodeOf(err) == abi.CodeGapInvalid }

// Settle implements db.Owner: a failure is the run's from now on.
func (q *queued) Settle(err error) error {
	if err != nil && !q.Refused(err) {
		err = q.w.fail(err)
	}
	if q.batch != nil {
		q.w.recycle(q.batch)
	}
	return err
}

func (w *Writer) recycle(b *record.Batch) {
	b.Reset()
	select {
	case w.free <- b:
	default:
	}
}
