package storage

import (
	"context"
	"errors"
)

// CompactLane writes the lane's file anew, without the room that pruned rows have
// left, and folds its log back. It needs as much free disk as the file takes, and
// waits for other processes as every write does; what it is asked for while rows
// wait is the caller's to decide.
func (s *Store) CompactLane(ctx context.Context) error {
	if err := s.ofLane(); err != nil {
		return err
	}
	return s.vacuum(ctx)
}

// vacuum writes the file anew and empties its log.
func (s *Store) vacuum(ctx context.Context) error {
	db, err := s.pool(1, s.dsn("WAL", s.writerPragmas()...))
	if err != nil {
		return err
	}
	if _, err = db.ExecContext(ctx, "VACUUM"); err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return s.fail("compact", errors.Join(err, db.Close()))
}
