package postgres

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Is reports whether a store's address names a PostgreSQL server, and not a file.
func Is(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// Server is a database on a server.
type Server struct {
	config *pgconn.Config
}

// Parse reads an address. Its error quotes nothing of it: there may be a password in it.
func Parse(dsn string) (*Server, error) {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "storage.dsn is not an address of PostgreSQL",
			"write it as postgres://user@host:5432/database; a character such as @ or / in a password is written as %40 or %2F")
	}
	// Settings of pgx, and not of the server, which addresses for other programs may have.
	for _, name := range []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"} {
		delete(c.RuntimeParams, name)
	}
	dialer := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 6, Count: 3},
		Control:         unanswered,
	}
	c.DialFunc = dialer.DialContext
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = silence / 2
	}
	if c.RuntimeParams["application_name"] == "" {
		host, _ := os.Hostname()
		c.RuntimeParams["application_name"] = fmt.Sprintf("pdpp-host %d on %s", os.Getpid(), host)
	}
	return &Server{config: c}, nil
}

// String names the database without its password: user@host:port/database.
func (s *Server) String() string {
	return "postgres://" + s.config.User + "@" + s.config.Host + ":" + strconv.Itoa(int(s.config.Port)) + "/" + s.config.Database
}

// Same reports whether both are one database, under the same host's name.
func (s *Server) Same(other *Server) bool {
	a, b := s.config, other.config
	return a.Host == b.Host && a.Port == b.Port && a.Database == b.Database && a.RuntimeParams["search_path"] == b.RuntimeParams["search_path"]
}

// Pool returns up to n connections. It connects when it is first used.
func (s *Server) Pool(n int, readOnly bool) *sql.DB {
	c := s.config.Copy()
	if readOnly {
		c.RuntimeParams["default_transaction_read_only"] = "on"
	}
	db := sql.OpenDB(connector{c, readOnly})
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db
}

// Conn returns the connection behind what sql.Conn.Raw hands out.
func Conn(raw any) (*pgconn.PgConn, error) {
	c, ok := raw.(*conn)
	if !ok {
		return nil, fmt.Errorf("a connection of PostgreSQL is a %T", raw)
	}
	return c.pg, nil
}
