package postgres

import (
	"database/sql"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Is reports whether a store's address is of PostgreSQL, and not a file's path.
func Is(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// Server is a database on a server.
type Server struct {
	config *pgx.ConnConfig
}

// Parse reads an address. Its error quotes nothing of it: there may be a password in it.
func Parse(dsn string) (*Server, error) {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "storage.dsn is not an address of PostgreSQL",
			"write it as postgres://user@host:5432/database; a character such as @ or / in a password is written as %40 or %2F")
	}
	// pgx would prepare each statement. An owner may choose the other way without that
	// (default_query_exec_mode=exec).
	if c.DefaultQueryExecMode != pgx.QueryExecModeExec {
		c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	}
	c.StatementCacheCapacity, c.DescriptionCacheCapacity = 0, 0
	if c.RuntimeParams["application_name"] == "" {
		host, _ := os.Hostname()
		c.RuntimeParams["application_name"] = fmt.Sprintf("pdpp-host %d on %s", os.Getpid(), host)
	}
	return &Server{config: c}, nil
}

// String names the database without its password: user@host:port/database.
func (s *Server) String() string {
	return fmt.Sprintf("postgres://%s@%s:%d/%s", s.config.User, s.config.Host, s.config.Port, s.config.Database)
}

// Pool returns up to n connections. It connects when it is first used.
func (s *Server) Pool(n int, readOnly bool) *sql.DB {
	c := s.config.Copy()
	if readOnly {
		c.RuntimeParams["default_transaction_read_only"] = "on"
	}
	db := sql.OpenDB(connector{stdlib.GetConnector(*c)})
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db
}

// Conn returns the connection behind what sql.Conn.Raw hands out.
func Conn(raw any) (*pgx.Conn, error) {
	c, ok := raw.(*checked)
	if !ok {
		return nil, fmt.Errorf("a connection of PostgreSQL is a %T", raw)
	}
	return c.Conn.Conn(), nil
}
