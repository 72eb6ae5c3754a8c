package storage

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Sink is where what runs collect goes: into the store's own records and cursors, or
// into the queue of a collector's outbox.
type Sink interface {
	// Refuses returns why a run under this bookmark cannot begin; nil: it can.
	Refuses(bookmark string) error
	// Open returns the sink of one run.
	Open(w *RunWriter) RunSink
	// Delivered is the table that has the keys of the records that arrived.
	Delivered() bun.Ident
	// Deserted is the reason of a run whose process is gone.
	Deserted() abi.Reason
}

// RunSink takes what one run collects, within the transaction that the run's own rows
// are written in.
type RunSink interface {
	// Begin returns the cursors that the run starts from, by stream.
	Begin(t *db.Tx) (map[string][]byte, error)
	// Put returns what writes a batch; an error is the caller's. It is called outside the
	// transaction, so that the work of preparing a batch is.
	Put(b *Batch) (func(*db.Tx) error, error)
	// Checkpoint commits a cursor, or has the destination commit it.
	Checkpoint(t *db.Tx, stream, cursor, sliceID string) error
	// Gap is told of each change of a gap that a reader elsewhere has to know.
	Gap(t *db.Tx, id string) error
	// Commit takes the cursors of the run's end, before the run's row is written; End is
	// told of the row.
	Commit(t *db.Tx, checkpoints []StateCommit) error
	End(t *db.Tx, row *runRow, checkpoints []StateCommit) error
}

// HostSink is the sink of a host's own store.
type HostSink struct{}

// Refuses implements Sink.
func (HostSink) Refuses(string) error { return nil }

// Open implements Sink.
func (HostSink) Open(w *RunWriter) RunSink { return hostRun{w} }

// Delivered implements Sink.
func (HostSink) Delivered() bun.Ident { return "records" }

// Deserted implements Sink.
func (HostSink) Deserted() abi.Reason { return abi.ReasonHostRestarted }

// hostRun is the sink of one run of a host.
type hostRun struct{ w *RunWriter }

// Begin implements RunSink.
func (r hostRun) Begin(t *db.Tx) (map[string][]byte, error) {
	var rows []stateRow
	err := t.DB.NewSelect().Model(&rows).Where("connection_id = ? AND bookmark = ?", r.w.to.ConnectionID, r.w.bookmark).Scan(t.Ctx)
	state := map[string][]byte{}
	for _, st := range rows {
		state[st.Stream] = []byte(st.Cursor)
	}
	return state, err
}

// Put implements RunSink.
func (r hostRun) Put(b *Batch) (func(*db.Tx) error, error) {
	return func(t *db.Tx) error { return putBatch(t, r.w.to, b) }, nil
}

// Checkpoint implements RunSink.
func (r hostRun) Checkpoint(t *db.Tx, stream, cursor, sliceID string) error {
	return commitState(t, r.w, stream, cursor, sliceID)
}

// Gap implements RunSink.
func (hostRun) Gap(*db.Tx, string) error { return nil }

// Commit implements RunSink.
func (r hostRun) Commit(t *db.Tx, checkpoints []StateCommit) error {
	for _, c := range checkpoints {
		if err := commitState(t, r.w, c.Stream, jsonText(c.Cursor), ""); err != nil {
			return err
		}
	}
	return nil
}

// End implements RunSink.
func (hostRun) End(*db.Tx, *runRow, []StateCommit) error { return nil }

// Write queues a batch and takes it over. It blocks while two batches are
// queued, until ctx ends. A full batch holds about 5,000 records or 4 MiB; it
// becomes one transaction. The error may be of an earlier operation.
func (w *RunWriter) Write(ctx context.Context, b *Batch) error {
	if err := w.failure(); err != nil {
		return err
	}
	if b.Len() == 0 {
		w.recycle(b)
		return nil
	}
	if !b.Fits(len(w.to.Streams)) {
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
