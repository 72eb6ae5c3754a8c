package storage

import (
	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A Lane is the sink of its runs: what they collect is queued for the destination.

func (l *Lane) refuses(bookmark string) error {
	if bookmark == BookmarkIncremental {
		return nil
	}
	return abi.NewError(abi.CodeUsage, "a collector's run cannot fill in history: its host keeps one cursor for each stream",
		"run it with --mode incremental or full_refresh")
}

func (l *Lane) begin(t *tx, w *RunWriter) error { return t.beginInLane(w) }

func (l *Lane) put(w *RunWriter, b *Batch) (func(*tx) error, error) {
	cut, err := w.forLane(l, b)
	if err != nil {
		return nil, err
	}
	return func(t *tx) error {
		if err := t.enqueueBatch(w, cut); err != nil {
			return err
		}
		if err := t.rememberKeys(w, b); err != nil {
			return err
		}
		return t.followRejections(w, b)
	}, nil
}

func (l *Lane) checkpoint(t *tx, w *RunWriter, stream, cursor, sliceID string) error {
	return t.enqueueCheckpoint(w, stream, cursor, sliceID)
}

func (l *Lane) gap(t *tx, w *RunWriter, id string) error { return t.enqueueGap(w, id) }

// commit commits no cursor: the destination does, and confirms it.
func (l *Lane) commit(*tx, *RunWriter, []StateCommit) error { return nil }

func (l *Lane) end(t *tx, w *RunWriter, row *runRow, checkpoints []StateCommit) error {
	return t.enqueueEnd(w, row, checkpoints)
}

func (l *Lane) delivered() bun.Ident { return "delivered_keys" }

func (l *Lane) deserted() abi.Reason { return abi.ReasonCollectorStopped }
