package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/abi"
)

// connector is a database/sql driver over pgx's protocol alone. bun writes values into a
// statement's text, so that neither a prepared statement nor pgx's table of types is needed.
type connector struct {
	config   *pgconn.Config
	readOnly bool
}

// Driver implements driver.Connector. Nobody opens it by name.
func (c connector) Driver() driver.Driver { return nil }

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	pg, err := pgconn.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	return &conn{pg: pg, used: time.Now(), readOnly: c.readOnly}, nil
}

var errUnused = errors.New("the store neither prepares a statement nor begins a transaction this way")

// conn is a connection; it implements what of driver.Conn the store uses.
type conn struct {
	pg   *pgconn.PgConn
	used time.Time // elapsed time, not the wall clock
	// readOnly: a statement that failed with the connection may be tried again.
	readOnly bool
}

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errUnused }
func (c *conn) Begin() (driver.Tx, error)           { return nil, errUnused }

func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return c.pg.Close(ctx)
}

// restIsShort is how long a connection may have lain idle before it is asked whether the
// server still has it.
const restIsShort = time.Second

// ResetSession implements driver.SessionResetter: a connection that is lost, or in a
// transaction, is not used again.
func (c *conn) ResetSession(ctx context.Context) error {
	if c.pg.IsClosed() || c.pg.TxStatus() != 'I' || time.Since(c.used) > restIsShort && c.pg.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	c.used = time.Now()
	return nil
}

// check looks at a statement before it is sent: an error of the server would end the whole
// transaction, and its other operations with it.
func (c *conn) check(query string, args []driver.NamedValue) error {
	switch {
	case len(args) > 0:
		return errUnused
	case c.pg.IsClosed():
		return driver.ErrBadConn
	}
	return CheckText(query)
}

// ExecContext implements driver.ExecerContext. A text of several statements answers for
// the last.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.check(query, args); err != nil {
		return nil, err
	}
	results, err := c.pg.Exec(ctx, query).ReadAll()
	if err != nil || len(results) == 0 {
		return driver.RowsAffected(0), c.again(err)
	}
	return driver.RowsAffected(results[len(results)-1].CommandTag.RowsAffected()), nil
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.check(query, args); err != nil {
		return nil, err
	}
	all := c.pg.Exec(ctx, query)
	if !all.NextResult() {
		if err := all.Close(); err != nil {
			return nil, c.again(err)
		}
		return nil, errUnused
	}
	return &rows{all: all, one: all.ResultReader()}, nil
}

// again has database/sql use another connection where nothing was sent on this one, or
// nothing was written.
func (c *conn) again(err error) error {
	if err != nil && (pgconn.SafeToRetry(err) || c.readOnly && Lost(err)) {
		return driver.ErrBadConn
	}
	return err
}

// rows are the answer to a query, read as they come.
type rows struct {
	all *pgconn.MultiResultReader
	one *pgconn.ResultReader
}

func (r *rows) Columns() []string {
	fields := r.one.FieldDescriptions()
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return names
}

func (r *rows) Close() error { return r.all.Close() }

func (r *rows) Next(dest []driver.Value) (err error) {
	if !r.one.NextRow() {
		if _, err := r.one.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, v := range r.one.Values() {
		if dest[i], err = value(r.one.FieldDescriptions()[i].DataTypeOID, v); err != nil {
			return err
		}
	}
	return nil
}

// value reads a value in its text format.
func value(oid uint32, text []byte) (driver.Value, error) {
	switch {
	case text == nil:
		return nil, nil
	case oid == oidBool:
		return text[0] == 't', nil
	case oid == oidInt || oid == oidInt4 || oid == oidInt2:
		return strconv.ParseInt(string(text), 10, 64)
	case oid == oidByte && strings.HasPrefix(string(text), `\x`):
		return hex.AppendDecode(nil, text[2:])
	case oid == oidByte:
		return nil, fmt.Errorf("bytes are not in hexadecimal: bytea_output is not %q", "hex")
	}
	return string(text), nil
}

// CheckText refuses a NUL character and what is no UTF-8: PostgreSQL holds neither.
func CheckText(s string) error {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return nil
	}
	return TextRefused()
}

// TextRefused is the error of CheckText.
func TextRefused() *abi.Error {
	return abi.NewError(abi.CodeStoreText, "a text holds a NUL character or is not UTF-8, and cannot be stored",
		"leave the character out where the text comes from")
}
