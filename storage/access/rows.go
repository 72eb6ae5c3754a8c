package access

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// list returns every row of a table, as the room shows it, in an order and then by id. what
// names the read in an error.
func list[R, T any](ctx context.Context, s *Store, what, order string, public func(*R) T) ([]T, error) {
	var rows []R
	if err := s.db.Read.NewSelect().Model(&rows).Order(order, "id").Scan(ctx); err != nil {
		return nil, s.db.Fail(what, err)
	}
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = public(&rows[i])
	}
	return out, nil
}

// find returns the row whose column has a value, as the room shows it; nil: there is none.
func find[R, T any](ctx context.Context, s *Store, what, column string, value any, public func(*R) T) (*T, error) {
	var row R
	err := s.db.Read.NewSelect().Model(&row).Where("? = ?", bun.Ident(column), value).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.db.Fail(what, err)
	}
	found := public(&row)
	return &found, nil
}
