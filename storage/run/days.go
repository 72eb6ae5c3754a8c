package run

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Day is how many runs of a connection that began on one day (UTC) came out one way.
type Day struct {
	ConnectionID string
	Day          time.Time // its beginning
	Status       string
	Runs         int64
}

// dayUS is a day in microseconds.
const dayUS = int64(24 * time.Hour / time.Microsecond)

// RunDays counts the runs of some connections since a moment, by day and outcome.
func (s *Store) RunDays(ctx context.Context, connectionIDs []string, since time.Time) ([]Day, error) {
	if len(connectionIDs) == 0 {
		return nil, nil
	}
	var rows []struct {
		ConnectionID string
		Day          int64
		Status       string
		N            int64
	}
	err := s.db.Read.NewRaw(`SELECT connection_id, started_us / ? AS day, status, count(*) AS n FROM runs
WHERE connection_id IN (?) AND started_us >= ? GROUP BY connection_id, started_us / ?, status ORDER BY 1, 2, 3`,
		dayUS, bun.List(connectionIDs), db.Micros(since), dayUS).Scan(ctx, &rows)
	out := make([]Day, len(rows))
	for i, r := range rows {
		out[i] = Day{r.ConnectionID, db.Time(r.Day * dayUS), r.Status, r.N}
	}
	return out, s.db.Fail("count the runs", err)
}
