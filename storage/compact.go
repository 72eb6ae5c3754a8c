package storage

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/read"
)

// Compacted says what a compaction did.
type Compacted struct {
	Runs                    int64 // that were older than the history
	BytesBefore, BytesAfter int64 // of the file and its log
}

// Compact prunes the whole history, drops the words of deleted records from the index, writes
// the file anew without free pages, and empties its log. It needs as much free disk as the file takes. While a run goes on
// it is refused, as storage.locked; alive is as in NewRun. A run that begins after that
// was looked at waits for the file like any write, and is refused as storage.locked when
// that takes longer than a write waits.
func (s *Store) Compact(ctx context.Context, alive func(holder string) bool) (c Compacted, err error) {
	err = s.db.Alone(ctx, "compact", func(t *db.Tx) error {
		l, err := tables.LiveLease(t, "", alive)
		if l != nil {
			return abi.NewError(abi.CodeStoreLocked, "a run is going on, and writes to the store", "wait for it to end, or end it").WithDetail("run " + l.RunID)
		}
		return err
	})
	if err != nil {
		return c, err
	}
	before, err := s.Stats(ctx)
	if err != nil {
		return c, err
	}
	c.BytesBefore = before.FileBytes + before.LogBytes
	if c.Runs, err = s.PruneRuns(ctx); err != nil {
		return c, err
	}
	err = s.db.Alone(ctx, "remove words", func(t *db.Tx) error {
		t.Erased = true
		return read.FoldWords(t)
	})
	if err != nil {
		return c, err
	}
	if err := s.db.Vacuum(ctx); err != nil {
		return c, err
	}
	after, err := s.Stats(ctx)
	c.BytesAfter = after.FileBytes + after.LogBytes
	return c, err
}

// Space is what takes the room of the store's file, in bytes.
type Space struct {
	Records, History, Gaps, Rest int64 // with their indexes
	Free                         int64 // pages of a file that are used again; Compact gives them back
}

// Space reads the header of every page of a file: it takes long on a large one.
func (s *Store) Space(ctx context.Context) (space Space, err error) {
	sizes, free, err := s.db.Tables(ctx)
	for name, size := range sizes {
		switch name {
		case "records", "enumerations", "marks", "met":
			space.Records += size
		case "runs", "run_streams", "events", "coverage":
			space.History += size
		case "gaps":
			space.Gaps += size
		default:
			space.Rest += size
		}
	}
	space.Free = free
	return space, err
}
