package run

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// Sinks is where what runs collect goes: into the store's own records and cursors, or
// into the queue of a collector's outbox.
type Sinks interface {
	// Refuses returns why a run under this bookmark cannot begin; nil: it can.
	Refuses(bookmark string) error
	// Open returns the sink of one run.
	Open(w *Writer) Sink
	// Enumerates reports whether what a run has not met can become tombstones here: the
	// records are in this database.
	Enumerates() bool
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

// HostSink is the sink of a host's own store.
type HostSink struct{}

// Refuses implements Sinks.
func (HostSink) Refuses(string) error { return nil }

// Open implements Sinks.
func (HostSink) Open(w *Writer) Sink { return hostRun{w} }

// Enumerates implements Sinks.
func (HostSink) Enumerates() bool { return true }

// Delivered implements Sinks.
func (HostSink) Delivered() bun.Ident { return "records" }

// Deserted implements Sinks.
func (HostSink) Deserted() abi.Reason { return abi.ReasonHostRestarted }

// hostRun is the sink of one run of a host.
type hostRun struct{ w *Writer }

// Begin implements Sink.
func (r hostRun) Begin(t *db.Tx) (map[string][]byte, error) {
	var rows []tables.StateRow
	err := t.DB.NewSelect().Model(&rows).Where("connection_id = ? AND bookmark = ?", r.w.To.ConnectionID, r.w.bookmark).Scan(t.Ctx)
	state := map[string][]byte{}
	for _, st := range rows {
		state[st.Stream] = []byte(st.Cursor)
	}
	return state, err
}

// Put implements Sink.
func (r hostRun) Put(b *record.Batch) (func(*db.Tx) error, error) {
	return func(t *db.Tx) error { return record.Put(t, r.w.To, b) }, nil
}

// Checkpoint implements Sink.
func (r hostRun) Checkpoint(t *db.Tx, stream, cursor, sliceID string) error {
	return CommitState(t, r.w, stream, cursor, sliceID)
}

// Gap implements Sink.
func (hostRun) Gap(*db.Tx, string) error { return nil }

// Commit implements Sink.
func (r hostRun) Commit(t *db.Tx, checkpoints []StateCommit) error {
	for _, c := range checkpoints {
		if err := CommitState(t, r.w, c.Stream, tables.JSONText(c.Cursor), ""); err != nil {
			return err
		}
	}
	return nil
}

// End implements Sink.
func (hostRun) End(*db.Tx, *tables.RunRow, []StateCommit) error { return nil }

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
