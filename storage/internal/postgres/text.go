package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/pdpp-host/pdpp-host/abi"
)

// connector makes connections that refuse text which the server cannot hold.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	own, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errors.New("pgx made a connection of another kind"), conn.Close())
	}
	return &checked{own}, nil
}

// checked looks at a statement with its values before it is sent. An error of the server
// would end the whole transaction, and its other operations with it.
type checked struct{ *stdlib.Conn }

func (c *checked) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := CheckText(query); err != nil {
		return nil, err
	}
	return c.Conn.ExecContext(ctx, query, args)
}

func (c *checked) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := CheckText(query); err != nil {
		return nil, err
	}
	return c.Conn.QueryContext(ctx, query, args)
}

// CheckText refuses a NUL character and what is no UTF-8: PostgreSQL holds neither.
func CheckText(s string) error {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return nil
	}
	return abi.NewError(abi.CodeStoreText, "a text holds a NUL character or is not UTF-8, and PostgreSQL keeps neither",
		"leave the character out where the text comes from")
}
