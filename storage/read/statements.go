package read

import (
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// statements are those of one transaction, each prepared once.
type statements struct {
	t   *db.Tx
	sql map[string]*sql.Stmt
}

func (s *statements) exec(query string, values ...any) error {
	if s.t.Server() != nil {
		_, err := s.t.DB.ExecContext(s.t.Ctx, query, values...)
		return err
	}
	st, err := s.prepare(query) //nolint:sqlclosecheck // close closes it
	if err == nil {
		_, err = st.ExecContext(s.t.Ctx, values...)
	}
	return err
}

// prepare returns a statement that is prepared once a transaction.
func (s *statements) prepare(query string) (*sql.Stmt, error) {
	if st := s.sql[query]; st != nil {
		return st, nil
	}
	conn, ok := s.t.DB.(bun.Conn)
	if !ok {
		return nil, errors.New("a transaction of a file has no connection") // a fault of this build
	}
	st, err := conn.PrepareContext(s.t.Ctx, query)
	if err == nil {
		if s.sql == nil {
			s.sql = map[string]*sql.Stmt{}
		}
		s.sql[query] = st
	}
	return st, err
}

func (s *statements) close() (err error) {
	for _, st := range s.sql {
		err = errors.Join(err, st.Close())
	}
	return err
}

// numbers returns the column that a query of a file selects.
func (s *statements) numbers(query string, values ...any) (all []int64, err error) {
	st, err := s.prepare(query) //nolint:sqlclosecheck // close closes it
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(s.t.Ctx, values...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}
