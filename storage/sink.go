package storage

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// sink is where what a run collects goes: into the store's own records and cursors
// (hostSink), or into the queue of a collector's outbox (Lane). It is called within the
// transaction that the run's own rows are written in.
type sink interface {
	// refuses returns why a run under this bookmark cannot begin; nil: it can.
	refuses(bookmark string) error
	// begin reads the cursors that the run starts from into w.state.
	begin(t *tx, w *RunWriter) error
	// put returns what writes a batch; an error is the caller's. It is called outside the
	// transaction, so that the work of preparing a batch is.
	put(w *RunWriter, b *Batch) (func(*tx) error, error)
	// checkpoint commits a cursor, or has the destination commit it.
	checkpoint(t *tx, w *RunWriter, stream, cursor, sliceID string) error
	// gap is told of each change of a gap that a reader elsewhere has to know.
	gap(t *tx, w *RunWriter, id string) error
	// end is told of the end of a run whose row is written; commit comes before it.
	commit(t *tx, w *RunWriter, checkpoints []StateCommit) error
	end(t *tx, w *RunWriter, row *runRow, checkpoints []StateCommit) error
	// delivered is the table that has the keys of the records that arrived.
	delivered() bun.Ident
	// deserted is the reason of a run whose process is gone.
	deserted() abi.Reason
}

// hostSink is the sink of a host's own store.
type hostSink struct{}

func (hostSink) refuses(string) error { return nil }

func (hostSink) begin(t *tx, w *RunWriter) error {
	var states []stateRow
	err := t.DB.NewSelect().Model(&states).Where("connection_id = ? AND bookmark = ?", w.connectionID, w.bookmark).Scan(t.Ctx)
	for _, st := range states {
		w.state[st.Stream] = []byte(st.Cursor)
	}
	return err
}

func (hostSink) put(w *RunWriter, b *Batch) (func(*tx) error, error) {
	return func(t *tx) error {
		if err := t.openTally(w); err != nil {
			return err
		}
		return t.putBatch(w, b)
	}, nil
}

func (hostSink) checkpoint(t *tx, w *RunWriter, stream, cursor, sliceID string) error {
	return t.commitState(w, stream, cursor, sliceID)
}

func (hostSink) gap(*tx, *RunWriter, string) error { return nil }

func (hostSink) commit(t *tx, w *RunWriter, checkpoints []StateCommit) error {
	for _, c := range checkpoints {
		if err := t.commitState(w, c.Stream, jsonText(c.Cursor), ""); err != nil {
			return err
		}
	}
	return nil
}

func (hostSink) end(*tx, *RunWriter, *runRow, []StateCommit) error { return nil }

func (hostSink) delivered() bun.Ident { return "records" }

func (hostSink) deserted() abi.Reason { return abi.ReasonHostRestarted }

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
	if b.bad {
		return w.fail(abi.NewError(abi.CodeInternal, "a record's key is empty or holds a NUL",
			"report this: the boundary should have refused it").WithDetail("run " + w.runID))
	}
	fn, err := w.s.sink.put(w, b)
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
