package outbox

import "context"

// CompactLane writes the lane's file anew, without the room that pruned rows have
// left, and folds its log back. It needs as much free disk as the file takes, and
// waits for other processes as every write does; what it is asked for while rows
// wait is the caller's to decide.
func (s *Store) CompactLane(ctx context.Context) error {
	return s.db.Vacuum(ctx)
}
