package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
	"github.com/pdpp-host/pdpp-host/storage/internal/schema"
)

// pending returns the steps that the database has not run yet; fresh says that it holds no
// table at all.
func (p *server) pending(ctx context.Context, q bun.IDB) (fresh bool, steps []migration, err error) {
	known, err := stepsOf(postgresSteps)
	if err != nil {
		return false, nil, err
	}
	var tables int
	const count = "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
	if err := q.QueryRowContext(ctx, count).Scan(&tables); err != nil || tables == 0 {
		return true, known, err
	}
	steps, err = stepsLeftOf(ctx, q, known, schema.Server(), p.db.Path, func() ([]string, error) { return schema.OnServer(ctx, q, schema.Tables()) })
	if postgres.Missing(err) {
		err = foreign(p.db.Path)
	}
	return false, steps, err
}

// migrate runs the pending steps, all in one transaction, under the lock of the writers.
// Another process may be doing the same, so the steps are read again under it.
func (p *server) migrate(ctx context.Context) error {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	err = s.lock(nil)
	if err == nil {
		var fresh bool
		var steps []migration
		if fresh, steps, err = p.pending(ctx, s.conn); err == nil && fresh {
			_, err = s.conn.ExecContext(ctx, migrationsTable)
		}
		for _, m := range steps {
			if err == nil {
				err = p.db.runStep(ctx, s.conn, m, fresh)
			}
		}
	}
	if err == nil {
		err = s.commit()
	}
	if err != nil {
		err = errors.Join(p.db.Fail("migrate", err), s.rollback())
	}
	return err
}
