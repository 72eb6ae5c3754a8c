package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/abi"
)

// SQLSTATEs that are told apart, from the appendix "PostgreSQL Error Codes". A class is
// two letters.
const (
	lockNotAvailable  = "55P03"
	queryCanceled     = "57014"
	readOnlyServer    = "25006"
	diskFull          = "53100"
	undefinedDatabase = "3D000"
	noConnections     = "53300"
	classData         = "22" // 22021: a byte that is no text
	classLimit        = "54" // 54000: too long for an index
	classAuth         = "28"
	classPrivilege    = "42501"
	classCorrupt      = "XX"
)

// state is the server's word for an error, "" when it is not the server's.
func state(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// Failed reports whether err is the server's or the connection's, after which the
// connection may be in any state.
func Failed(err error) bool {
	if _, own := errors.AsType[*abi.Error](err); own || err == nil {
		return false
	}
	return true
}

// Waited reports whether a lock was not given in time.
func Waited(err error) bool { return state(err) == lockNotAvailable }

// Conflicts reports whether a row breaks a constraint of its table (class 23).
func Conflicts(err error) bool { return strings.HasPrefix(state(err), "23") }

// Missing reports whether a table or a column is not there.
func Missing(err error) bool { s := state(err); return s == "42P01" || s == "42703" }

// Lost reports whether the connection ended under a statement.
func Lost(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		// 57P01 and its neighbours: the server ends the connection. 08: it broke.
		return strings.HasPrefix(e.Code, "57P") || strings.HasPrefix(e.Code, "08") || e.Severity == "FATAL"
	}
	_, network := errors.AsType[net.Error](err)
	return network || pgconn.SafeToRetry(err) || slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn},
		func(known error) bool { return errors.Is(err, known) })
}

// Silent reports whether a server took a connection, or seemed to, and then did not answer in
// the time that it has for that. A caller who has ended it is another matter.
func Silent(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting && errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
}

// Unreached reports whether no connection could be made, for a reason that may pass.
func Unreached(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	s := state(err)
	return connecting && !strings.HasPrefix(s, classAuth) && s != undefinedDatabase
}

// Describe says what an error is and what to do about it. It quotes neither the server's
// words, which may hold a row's values, nor the address.
func Describe(err error) *abi.Error {
	s := state(err)
	is := func(class string) bool { return s != "" && strings.HasPrefix(s, class) }
	unavailable := func(message, hint string) *abi.Error { return abi.NewError(abi.CodeStoreUnavailable, message, hint) }
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	switch {
	case is(diskFull):
		return abi.NewError(abi.CodeStoreFull, "no space left on PostgreSQL's disk", "free disk space on the server, then run again: what was committed is kept")
	case is(readOnlyServer):
		return unavailable("PostgreSQL takes no writing: it is a standby, or was made read-only", "name the primary in storage.dsn, or end the standby's recovery")
	case is(undefinedDatabase):
		return unavailable("the database does not exist", "make it with: createdb --encoding=UTF8 --template=template0")
	case is(classAuth):
		return unavailable("PostgreSQL refuses this user or password", "check the user and the password of storage.dsn, and pg_hba.conf")
	case is(noConnections):
		return unavailable("PostgreSQL has no connection left", "raise its max_connections, put pgbouncer in between, or end other programs")
	case is(classPrivilege):
		return unavailable("PostgreSQL refuses this user what the store needs", "make the user the owner of the database, or of the schema that its search_path names")
	case connecting && (is("42") || is(classData) || is("08")):
		return unavailable("PostgreSQL refuses the connection: it does not know a setting of the address", "check what follows the ? of the address")
	case is(queryCanceled):
		return unavailable("PostgreSQL ended a statement: its statement_timeout, or somebody's pg_cancel_backend",
			"give the store's user no statement_timeout, then run again: what was committed is kept")
	case is(classData), is(classLimit):
		return abi.NewError(abi.CodeStoreText, "PostgreSQL refuses a text or a number", "`pdpp-host doctor` checks the store")
	case is(classCorrupt):
		return abi.NewError(abi.CodeStoreCorrupt, "PostgreSQL says that the database is damaged", "restore it from a backup; `pdpp-host doctor` shows what is damaged")
	case Silent(err):
		return unavailable("PostgreSQL does not answer", "check that it is well and not stopped, and that the host and the port of storage.dsn are its own")
	case connecting:
		return unavailable("PostgreSQL cannot be reached", "check that it runs, and the host, the port and the sslmode of storage.dsn")
	case Lost(err):
		return unavailable("the connection to PostgreSQL was lost", "run again: what was committed is kept")
	}
	return unavailable("the store failed", "run again; `pdpp-host doctor` checks the store")
}

// silence is after how long a server that says nothing is taken for one that is gone.
const silence = 30 * time.Second
