package outbox

import (
	"sync"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// A Lane is the sink of its runs: what they collect is queued for the destination.

// Refuses implements Sinks.
func (l *lane) Refuses(bookmark string) error {
	if bookmark == tables.BookmarkIncremental {
		return nil
	}
	return abi.NewError(abi.CodeUsage, "a collector's run cannot fill in history: its host keeps one cursor for each stream",
		"run it with --mode incremental or full_refresh")
}

// Open implements Sinks.
func (l *lane) Open(w *run.Writer) run.Sink { return &LaneRun{lane: l, RunID: w.RunID(), to: w.To} }

// Enumerates implements Sinks. The records are at the destination, and the device protocol
// has no word for an enumeration.
func (l *lane) Enumerates() bool { return false }

// Delivered implements Sinks.
func (l *lane) Delivered() bun.Ident { return "delivered_keys" }

// Deserted implements Sinks.
func (l *lane) Deserted() abi.Reason { return abi.ReasonCollectorStopped }

// LaneRun is the sink of one run of a lane.
type LaneRun struct {
	*lane

	RunID string
	to    *record.Target
	units int64 // units of work closed; the writer goroutine's alone

	mu       sync.Mutex
	coverage map[string][]string // what coverage records said, by stream
}

// Put implements run.Sink.
func (r *LaneRun) Put(b *record.Batch) (func(*db.Tx) error, error) {
	cut, err := r.deliveries(b)
	if err != nil {
		return nil, err
	}
	return func(t *db.Tx) error {
		if err := r.enqueueBatch(t, cut); err != nil {
			return err
		}
		if err := record.RememberKeys(t, r.to, b); err != nil {
			return err
		}
		return record.FollowRejections(t, r.to, b)
	}, nil
}

// Commit implements run.Sink. It commits no cursor: the destination does, and confirms it.
func (r *LaneRun) Commit(*db.Tx, []run.StateCommit) error { return nil }
