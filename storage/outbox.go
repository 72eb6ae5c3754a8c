package storage

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

type queue = outbox.Store

// Outbox is a collector's own store: its runs are kept as in any Store, and what they
// collect is queued for a host instead of kept. All methods are safe for concurrent use.
type Outbox struct {
	*Store
	*queue
}

// OpenOutbox opens a collector's outbox as Open opens a store, and makes a new file the
// lane's. Errors besides those of Open: storage.lane_mismatch when the file is another
// lane's or a host's own store, storage.unavailable when o.Path is not a file.
// o.History is not used.
func OpenOutbox(ctx context.Context, o Options, lane Lane) (*Outbox, error) {
	q, err := outbox.New(lane, o.Path)
	if err != nil {
		return nil, err
	}
	o.History = 0
	s, err := openAs(ctx, o, db.Open, q, q.Accept, q.Take)
	if err != nil {
		return nil, err
	}
	return &Outbox{s, q}, nil
}

// InspectLane is outbox.InspectLane.
func InspectLane(ctx context.Context, path string, now time.Time) (LaneInfo, OutboxCounts, error) {
	return outbox.InspectLane(ctx, path, now)
}

// TransientClass is outbox.TransientClass.
func TransientClass(class string) bool { return outbox.TransientClass(class) }

// OutboxWord is outbox.Word.
func OutboxWord(s string) string { return outbox.Word(s) }
