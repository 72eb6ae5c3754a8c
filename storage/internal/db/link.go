package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"
	lib "modernc.org/sqlite/lib"
)

// errDriver is a fault of this build and not of a store.
var errDriver = errors.New("the SQLite driver lacks a method that the writer needs")

// session is the writer's own connection, and the transactions on it.
type session interface {
	lock(stop <-chan struct{}) error // begins one, with the write lock
	tx() *Tx
	commit() error
	rollback() error
	foldLog() error
	close() // for good
}

// link is the session of SQLite: bun for what happens a few times a run,
// prepared driver statements for what happens to every record. Only the writer
// goroutine uses it.
type link struct {
	db   *DB
	conn bun.Conn
	raw  driver.Conn // the same connection, below database/sql

	stBegin, stCommit, stRollback driver.Stmt

	prepared []driver.Stmt // Options.Statements
	args     [8]driver.NamedValue
}

func (d *DB) dial(stop <-chan struct{}) (session, error) {
	if d.pg != nil {
		return d.pg.dial(stop)
	}
	ctx := context.Background()
	conn, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{db: d, conn: conn}
	// The writer waits for other processes itself (lock), so that it can take
	// the moment between two of their transactions.
	_, err = conn.ExecContext(ctx, "PRAGMA busy_timeout = 0")
	for _, q := range d.opts.Setup {
		if err == nil {
			_, err = conn.ExecContext(ctx, q)
		}
	}
	if err == nil {
		err = conn.Raw(func(c any) error {
			raw, ok := c.(driver.Conn)
			if !ok {
				return errDriver
			}
			l.raw = raw
			return l.prepare()
		})
	}
	if err != nil {
		l.close()
		return nil, d.Fail("open", err)
	}
	return l, nil
}

func (l *link) prepare() (err error) {
	statement := func(q string) (st driver.Stmt) {
		if err == nil {
			st, err = l.raw.Prepare(q)
		}
		return st
	}
	l.stBegin, l.stCommit, l.stRollback = statement("BEGIN IMMEDIATE"), statement("COMMIT"), statement("ROLLBACK")
	for _, q := range l.db.opts.Statements {
		l.prepared = append(l.prepared, statement(q))
	}
	return err
}

// close drops the connection for good: the pool opens a fresh one.
func (l *link) close() {
	for _, st := range append([]driver.Stmt{l.stBegin, l.stCommit, l.stRollback}, l.prepared...) {
		if st != nil {
			_ = st.Close()
		}
	}
	_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = l.conn.Close()
}

func (l *link) commit() error   { _, err := exec(l.stCommit, nil); return err }
func (l *link) rollback() error { _, err := exec(l.stRollback, nil); return err }

// exec runs a prepared statement. The context is never a cancellable one: a
// transaction is short, and half of one is never wanted.
func exec(st driver.Stmt, args []driver.NamedValue) (driver.Result, error) {
	runner, ok := st.(driver.StmtExecContext)
	if !ok {
		return nil, errDriver
	}
	return runner.ExecContext(context.Background(), args)
}

// lock begins a transaction that may write. While another process holds the
// write lock it asks again every millisecond: writers yield that long between
// long transactions (see pause), and a rarer question would miss the gap.
func (l *link) lock(stop <-chan struct{}) error {
	start := time.Now() // elapsed time, not the wall clock
	for {
		_, err := exec(l.stBegin, nil)
		if c := primary(err); c != lib.SQLITE_BUSY && c != lib.SQLITE_LOCKED {
			return err
		}
		if time.Since(start) > l.db.opts.BusyTimeout {
			return err
		}
		select {
		case <-stop:
			return errClosed
		case <-time.After(time.Duration(300+rand.IntN(700)) * time.Microsecond): //nolint:gosec // jitter
		}
	}
}
