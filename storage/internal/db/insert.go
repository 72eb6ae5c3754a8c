package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/schema"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// Inserter adds whole rows to a table within a transaction: by a prepared statement, or on
// a server by COPY.
type Inserter struct {
	t    *Tx
	stmt *sql.Stmt // nil: a server's

	copy   string
	wanted []Kind // of the columns, on a server
	rows   *postgres.Rows
}

// Kind is a column's type on a server, as information_schema names it.
type Kind string

const boolean Kind = "boolean"

// copyBuffer is how much memory the rows of one COPY begin with, in bytes.
const copyBuffer = 1 << 20

// Kinds returns the types of a table's columns on a server; a file needs none.
func (d *DB) Kinds(ctx context.Context, table string) (map[string]Kind, error) {
	if !d.IsServer() {
		return nil, nil //nolint:nilnil // its columns take any value
	}
	var found []struct {
		Name string
		Kind Kind
	}
	err := d.Read.NewRaw("SELECT column_name AS name, data_type AS kind FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?", table).
		Scan(ctx, &found)
	kinds := make(map[string]Kind, len(found))
	for _, f := range found {
		kinds[f.Name] = f.Kind
	}
	return kinds, err
}

// Insert begins to add rows to a table; Close ends it. kinds are those of Kinds.
func (t *Tx) Insert(table string, columns []string, kinds map[string]Kind) (*Inserter, error) {
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
	in := &Inserter{t: t, copy: "COPY " + table + " (" + names + ") FROM STDIN BINARY", rows: postgres.NewRows(uint16(len(columns)), copyBuffer)} //nolint:gosec // a few dozen
	for _, c := range columns {
		is, ok := kinds[c]
		if !ok {
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

// AllowIdle lets the transaction idle for as long as it lasts; a server would end it.
func (t *Tx) AllowIdle() error {
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

// Unfinished reports whether the database is a copy that was not finished.
func Unfinished(ctx context.Context, q bun.IDB) (bool, error) {
	query := "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?"
	if _, server := q.Dialect().(postgresDialect); server {
		query = "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ?"
	}
	var n int
	err := q.QueryRowContext(ctx, query, schema.UnfinishedCopy).Scan(&n)
	return n > 0, err
}

// BeginCopy marks the database as an unfinished copy.
func (t *Tx) BeginCopy() error {
	_, err := t.DB.ExecContext(t.Ctx, "CREATE TABLE IF NOT EXISTS "+schema.UnfinishedCopy+" (at_us bigint NOT NULL)")
	return err
}

// EndCopy takes the mark away.
func (t *Tx) EndCopy() error {
	_, err := t.DB.ExecContext(t.Ctx, "DROP TABLE "+schema.UnfinishedCopy)
	return err
}

// Scan reads a row of any columns.
func Scan(rows *sql.Rows, columns int) ([]any, error) {
	values, to := make([]any, columns), make([]any, columns)
	for i := range values {
		to[i] = &values[i]
	}
	err := rows.Scan(to...)
	for i, v := range values {
		if b, ok := v.([]byte); ok && b == nil {
			values[i] = []byte{} // SQLite's driver reads an empty one as none
		}
	}
	return values, err
}
