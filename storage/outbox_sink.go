package storage

import (
	"sync"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A Lane is the sink of its runs: what they collect is queued for the destination.

// Refuses implements Sink.
func (l *Lane) Refuses(bookmark string) error {
	if bookmark == BookmarkIncremental {
		return nil
	}
	return abi.NewError(abi.CodeUsage, "a collector's run cannot fill in history: its host keeps one cursor for each stream",
		"run it with --mode incremental or full_refresh")
}

// Open implements Sink.
func (l *Lane) Open(w *RunWriter) RunSink { return &laneRun{Lane: l, runID: w.RunID(), to: w.to} }

// Delivered implements Sink.
func (l *Lane) Delivered() bun.Ident { return "delivered_keys" }

// Deserted implements Sink.
func (l *Lane) Deserted() abi.Reason { return abi.ReasonCollectorStopped }

// laneRun is the sink of one run of a lane.
type laneRun struct {
	*Lane

	runID string
	to    *Target
	units int64 // units of work closed; the writer goroutine's alone

	mu       sync.Mutex
	coverage map[string][]string // what coverage records said, by stream
}

// Put implements RunSink.
func (r *laneRun) Put(b *Batch) (func(*db.Tx) error, error) {
	cut, err := r.deliveries(b)
	if err != nil {
		return nil, err
	}
	return func(t *db.Tx) error {
		if err := r.enqueueBatch(t, cut); err != nil {
			return err
		}
		if err := rememberKeys(t, r.to, b); err != nil {
			return err
		}
		return followRejections(t, r.to, b)
	}, nil
}

// Commit implements RunSink. It commits no cursor: the destination does, and confirms it.
func (r *laneRun) Commit(*db.Tx, []StateCommit) error { return nil }
