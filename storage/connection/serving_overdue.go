package connection

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// overdue are the connections that run by themselves, for all that is stored of them,
// and whose kept due time has passed with no run since. A due time is kept by what
// schedules: of a connection that nothing ever scheduled there is none.
const overdue = `FROM due_times AS d JOIN schedules AS s ON s.connection_id = d.connection_id AND NOT s.paused AND s.mode <> 'manual'
WHERE d.due_us < ? AND coalesce((SELECT r.started_us FROM runs AS r WHERE r.connection_id = d.connection_id ORDER BY r.pk DESC LIMIT 1), 0) < ?`

// Overdue returns the connections that were due before that moment, the longest due
// first, as far as that can be seen without their manifests: whether they may run now,
// the scheduler's rules say.
func (s *Store) Overdue(ctx context.Context, before time.Time) ([]tables.Connection, error) {
	var rows []tables.ConnectionRow
	us := db.Micros(before)
	text := s.db.Read.NewSelect().Model(&rows).
		Join("JOIN (SELECT d.connection_id, d.due_us "+overdue+") AS o ON o.connection_id = connection_row.id", bun.Safe("?"), bun.Safe("?")).
		OrderExpr("o.due_us, name").String()
	if err := s.db.ScanAll(ctx, &rows, text, us, us); err != nil {
		return nil, s.db.Fail("read what is overdue", err)
	}
	out := make([]tables.Connection, len(rows))
	for i := range rows {
		out[i] = *rows[i].Public()
	}
	return out, nil
}

// ForgetOverdue ends that the connections of Overdue are expected to have run: the next
// to schedule them works their times out again.
func (s *Store) ForgetOverdue(ctx context.Context, before time.Time) error {
	return s.db.Alone(ctx, "forget what is overdue", func(t *db.Tx) error {
		us := db.Micros(before)
		_, err := t.DB.ExecContext(t.Ctx, "DELETE FROM due_times WHERE connection_id IN (SELECT d.connection_id "+overdue+")", us, us)
		return err
	})
}
