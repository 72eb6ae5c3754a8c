package tables

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// TheOwner is the name of the one owner that a host has.
const TheOwner = "owner"

// ReadOwners reads what a table keeps of the owner. A row that is not there yet stays as it is.
func ReadOwners(ctx context.Context, q bun.IDB, row any) error {
	err := q.NewSelect().Model(row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}
