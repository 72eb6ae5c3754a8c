package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// Inserter adds whole rows to a table within a transaction: by a prepared statement, or on
// a server by COPY.
type Inserter struct {
	t    *Tx
	stmt *sql.Stmt // nil: a server's

	copy   string
	wanted []kind // of the columns, on a server
	rows   *postgres.Rows
}

// kind is a column's type on a server.
type kind string

const (
	bigint  kind = "bigint"
	boolean kind = "boolean"
)

// copyBuffer is how much memory the rows of one COPY begin with, in bytes.
const copyBuffer = 1 << 20

// Insert begins to add rows to a table; Close ends it.
func (t *Tx) Insert(table string, columns []string) (*Inserter, error) {
	names := strings.Join(columns, ", ")
	if t.server == nil {
		conn, ok := t.DB.(bun.Conn)
		if !ok {
			return nil, errDriver
		}
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
		stmt, err := conn.PrepareContext(t.Ctx, "INSERT INTO "+table+" ("+names+") VALUES ("+marks+")")
		return &Inserter{t: t, stmt: stmt}, err
	}
	var found []struct{ Name, Kind string }
	err := t.DB.NewRaw("SELECT column_name AS name, data_type AS kind FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?", table).
		Scan(t.Ctx, &found)
	if err != nil {
		return nil, err
	}
	in := &Inserter{t: t, copy: "COPY " + table + " (" + names + ") FROM STDIN BINARY", rows: postgres.NewRows(uint16(len(columns)), copyBuffer)} //nolint:gosec // a few dozen
	for _, c := range columns {
		var is kind
		for _, f := range found {
			if f.Name == c {
				is = kind(f.Kind)
			}
		}
		if is == "" {
			return nil, fmt.Errorf("the table %s has no column %s", table, c)
		}
		in.wanted = append(in.wanted, is)
	}
	return in, nil
}

// Add adds a row of values as a query of either database returns them.
func (in *Inserter) Add(values []any) error {
	if in.stmt != nil {
		_, err := in.stmt.ExecContext(in.t.Ctx, values...)
		return err
	}
	in.rows.Next()
	for i, v := range values {
		switch is := in.wanted[i]; v := v.(type) {
		case nil:
			in.rows.Text(nil)
		case int64:
			if is == boolean {
				in.rows.Text([]byte{byte(v & 1)})
				break
			}
			in.rows.Int(v)
		case bool:
			in.rows.Text([]byte{Bit(v)})
		case []byte:
			in.rows.Text(v)
		case string:
			if err := postgres.CheckText(v); err != nil {
				return err
			}
			in.rows.Text([]byte(v))
		default:
			return fmt.Errorf("a value is a %T", v)
		}
	}
	return nil
}

// Close adds what is left.
func (in *Inserter) Close() error {
	if in.stmt != nil {
		return in.stmt.Close()
	}
	return in.rows.Copy(in.t.Ctx, in.t.server.raw, in.copy)
}

// Bit is a boolean as SQLite has it.
func Bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Stand is what a query needs that lasts longer than a server lets a transaction idle.
func (t *Tx) Stand() error {
	if t.server == nil {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, "SET LOCAL idle_in_transaction_session_timeout = 0")
	return err
}

// FollowKeys has the numbers that a table gives itself go on behind those that it has.
func (t *Tx) FollowKeys(table, column string) error {
	if t.server == nil {
		return nil // SQLite takes the one behind the largest
	}
	_, err := t.DB.ExecContext(t.Ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT coalesce(max(%s), 0) + 1 FROM %s), false)",
		table, column, column, table))
	return err
}

// unfinished is the table of a store that is an unfinished copy of another.
const unfinished = "unfinished_copy"

// Unfinished reports whether the database is a copy that was not finished.
func Unfinished(ctx context.Context, q bun.IDB) (bool, error) {
	query := "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?"
	if _, server := q.Dialect().(postgresDialect); server {
		query = "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ?"
	}
	var n int
	err := q.QueryRowContext(ctx, query, unfinished).Scan(&n)
	return n > 0, err
}

// BeginCopy marks the database as an unfinished copy.
func (t *Tx) BeginCopy() error {
	_, err := t.DB.ExecContext(t.Ctx, "CREATE TABLE IF NOT EXISTS "+unfinished+" (at_us bigint NOT NULL)")
	return err
}

// EndCopy takes the mark away.
func (t *Tx) EndCopy() error {
	_, err := t.DB.ExecContext(t.Ctx, "DROP TABLE "+unfinished)
	return err
}

// Scan reads a row of any columns.
func Scan(rows *sql.Rows, columns int) ([]any, error) {
	values, to := make([]any, columns), make([]any, columns)
	for i := range values {
		to[i] = &values[i]
	}
	return values, errors.Join(rows.Scan(to...))
}
