package evidence

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// numbered gives a row the next place among all changes. The writer holds the write lock,
// so no place is given twice.
const numbered = "changed = (SELECT coalesce(max(changed), 0) + 1 FROM evidence)"

// Changed is a connection of which something has changed: its evidence, its name, or the
// counts of its newest run.
type Changed struct {
	Place        int64 // among all changes
	ConnectionID string
	Name         string
	LatestRun    string // "": it has none
}

// ChangedSince returns up to limit connections that changed behind a place, in the order
// of their last changes.
func (s *Store) ChangedSince(ctx context.Context, place int64, limit int) ([]Changed, error) {
	var rows []Row
	err := s.db.Read.NewSelect().Model(&rows).Column("changed", "connection_id", "name", "latest_run").
		Where("changed > ?", place).Order("changed").Limit(int64(limit)).Scan(ctx)
	out := make([]Changed, len(rows))
	for i, r := range rows {
		out[i] = Changed{r.Changed, r.ConnectionID, r.Name, r.LatestRun}
	}
	return out, s.db.Fail("read what has changed", err)
}

// LastChange returns the place of the newest change; 0: there was none.
func (s *Store) LastChange(ctx context.Context) (place int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, "SELECT coalesce(max(changed), 0) FROM evidence").Scan(&place)
	return place, s.db.Fail("read what has changed", err)
}

// RunningRuns returns the ids of up to limit runs that have no end.
func (s *Store) RunningRuns(ctx context.Context, limit int) (ids []string, err error) {
	err = s.db.Read.NewSelect().Model((*Row)(nil)).Column("latest_run").Where("running = 1").Order("connection_id").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, s.db.Fail("read what runs", err)
}

// StandingSince returns up to limit connections, by their ids, that time alone has given
// another standing after from and until to.
func (s *Store) StandingSince(ctx context.Context, from, to time.Time, limit int) (ids []string, err error) {
	err = s.db.Read.NewSelect().Model((*standingRow)(nil)).Distinct().Column("connection_id").
		Where("from_us > ? AND from_us <= ?", db.Micros(from), db.Micros(to)).Limit(int64(limit)).Scan(ctx, &ids)
	return ids, s.db.Fail("read what time has changed", err)
}
