package run

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// Enumerate opens an enumeration: every record of its stream that is written from now on is
// met in it, until the run opens another one of the stream or leaves it.
func (w *Writer) Enumerate(ctx context.Context, how record.Opening) error {
	return w.queue(ctx, func(t *db.Tx) error { return record.StartEnumeration(t, w.To, how, w.runID) })
}

// Met marks records of an open enumeration as met that are not written again.
func (w *Writer) Met(ctx context.Context, e record.Enumeration, keys []string) error {
	return w.queue(ctx, func(t *db.Tx) error { return record.MarkKeys(t, w.To, e, keys) })
}

// MetDetail marks the records of a detail as met that is there and still to fetch, where its
// stream is being enumerated.
func (w *Writer) MetDetail(ctx context.Context, stream, key string) error {
	return w.queue(ctx, func(t *db.Tx) error { return record.MarkDetail(t, w.To, stream, key) })
}

// RecallDetails marks the records of details as met in an enumeration that was opened after they were deferred.
func (w *Writer) RecallDetails(ctx context.Context, e record.Enumeration, keys []string) error {
	return w.queue(ctx, func(t *db.Tx) error { return record.RecallDetails(t, w.To, e, keys) })
}

// SpoilEnumeration has the open enumeration of a stream sweep nothing: something of it was
// left out whose key is not known.
func (w *Writer) SpoilEnumeration(ctx context.Context, stream string) error {
	return w.queue(ctx, func(t *db.Tx) error {
		return record.SpoilEnumeration(t, w.To.StreamID(stream), record.SweepUnnamed)
	})
}

// LeaveEnumeration ends the marking. A Sweep of it may follow.
func (w *Writer) LeaveEnumeration(ctx context.Context, e record.Enumeration) error {
	return w.queue(ctx, func(*db.Tx) error {
		record.LeaveEnumeration(w.To, e)
		return nil
	})
}

// ForgetEnumerations closes every enumeration of the connection without a sweep.
func (w *Writer) ForgetEnumerations(ctx context.Context) error {
	return w.queue(ctx, func(t *db.Tx) error { return record.ForgetEnumerations(t, w.To) })
}

// Missing returns the next keys of records that an open enumeration has not met, by key.
func (w *Writer) Missing(ctx context.Context, e record.Enumeration, after string, limit int) (keys []string, err error) {
	err = w.await(ctx, func(t *db.Tx) error {
		keys, err = record.Missing(t, w.To, e, after, limit)
		return err
	})
	return keys, err
}

// WeighSweeps says what sweeps would do, behind everything queued before.
func (w *Writer) WeighSweeps(ctx context.Context, sweeps []record.Sweep) (found []record.Swept, err error) {
	err = w.await(ctx, func(t *db.Tx) error {
		found, err = record.WeighSweeps(t, w.To, sweeps)
		return err
	})
	return found, err
}

// Swept returns what the run's durable sweeps did.
func (w *Writer) Swept() []record.Swept {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.swept)
}

// sweep closes enumerations in the transaction that commits the cursor behind them.
func (w *Writer) sweep(t *db.Tx, sweeps []record.Sweep) error {
	if len(sweeps) == 0 {
		return nil
	}
	done, err := record.SweepRecords(t, w.To, sweeps)
	if err != nil {
		return err
	}
	t.AfterCommit(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.swept = append(w.swept, done...)
	})
	return nil
}
