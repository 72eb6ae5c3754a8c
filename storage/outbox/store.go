package outbox

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Store is the queue of a collector's outbox. All methods are safe for concurrent use.
type Store struct {
	*lane

	db *db.DB
}

// New returns the queue in the file at path, which is not open yet. Errors:
// storage.lane_mismatch when the lane names no source, storage.unavailable when path is an
// address.
func New(l Lane, path string) (*Store, error) {
	if db.OnServer(path) {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "a collector's queue is a file, and not a database on a server", "name a file with --queue")
	}
	settled, err := l.withDefaults(path)
	if err != nil {
		return nil, err
	}
	return &Store{lane: settled}, nil
}

// Accept returns what refuses a file that may not be opened as the lane's, or with nil as
// a host's own store, as db.Options.Accept.
func Accept(l *Lane, path string) func(ctx context.Context, q bun.IDB, applied int) error {
	return func(ctx context.Context, q bun.IDB, applied int) error {
		if db.OnServer(path) {
			return nil // no lane is there
		}
		var row *laneRow
		var err error
		if applied >= outboxStep {
			if row, err = laneOf(ctx, q); err != nil {
				return err
			}
		}
		if row != nil || l == nil {
			return sameLane(l, row, path)
		}
		used := false
		if applied > 0 {
			used, err = q.NewSelect().Model((*tables.ConnectionRow)(nil)).Exists(ctx)
		}
		if used {
			return mismatch(path, "the file is a host's own store", "name another file with --queue")
		}
		return err
	}
}

// Accept is the function Accept for the queue's own lane.
func (s *Store) Accept(ctx context.Context, q bun.IDB, applied int) error {
	return Accept(&s.Lane, s.path)(ctx, q, applied)
}

func sameLane(l *Lane, row *laneRow, path string) error {
	switch {
	case l == nil && row == nil:
		return nil
	case l == nil:
		return mismatch(path, "the file is a collector's outbox", "name another data folder, or use pdpp-local-collector")
	case row == nil:
		return noOutbox(path)
	case row.SourceInstanceID != l.SourceInstanceID || row.ConnectorID != l.ConnectorID:
		return mismatch(path, "the file is the outbox of another source instance",
			"use the profile that the file belongs to, or name another file with --queue")
	}
	return nil
}

// Take puts the queue over its open file, and makes a new file the lane's. Re-check under
// the write lock what Accept checked without it.
func (s *Store) Take(ctx context.Context, d *db.DB) error {
	s.db, s.path = d, d.Path
	return d.Alone(ctx, "open the outbox", func(t *db.Tx) error {
		row, err := laneOf(t.Ctx, t.DB)
		if err != nil || row != nil {
			return errors.Join(err, sameLane(&s.Lane, row, s.path))
		}
		if err := s.Accept(t.Ctx, t.DB, outboxStep); err != nil {
			return err
		}
		row = &laneRow{ID: 1, SourceInstanceID: s.SourceInstanceID, ConnectorID: s.ConnectorID}
		_, err = t.DB.NewInsert().Model(row).Exec(t.Ctx)
		return err
	})
}
