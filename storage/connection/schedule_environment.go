package connection

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

type rejectedEnvironmentRow struct {
	bun.BaseModel `bun:"table:rejected_environments"`

	ConnectionID string `bun:"connection_id,pk"`
	Mark         string `bun:"mark"`
}

// RejectEnvironment keeps with a connection's failure which credentials of the environment it
// had: the environment is no row whose change would be seen. mark tells two values apart, and
// narrows down one that is short; "" marks no value.
func (s *Store) RejectEnvironment(ctx context.Context, connectionID, mark string) error {
	return s.db.Alone(ctx, "keep what was rejected", func(t *db.Tx) error {
		if err := exists(t, connectionID); err != nil {
			return err
		}
		row := rejectedEnvironmentRow{ConnectionID: connectionID, Mark: mark}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id) DO UPDATE").Set("mark = EXCLUDED.mark").Exec(t.Ctx)
		return err
	})
}

// RejectedEnvironment returns the mark that was kept last; "" also when none was.
func (s *Store) RejectedEnvironment(ctx context.Context, connectionID string) (mark string, err error) {
	var rows []rejectedEnvironmentRow
	err = s.db.Read.NewSelect().Model(&rows).Where("connection_id = ?", connectionID).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return "", s.db.Fail("read what was rejected", err)
	}
	return rows[0].Mark, nil
}
