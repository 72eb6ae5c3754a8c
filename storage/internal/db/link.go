package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uptrace/bun"
	lib "modernc.org/sqlite/lib"

	"github.com/pdpp-host/pdpp-host/abi"
)

// errDriver is a fault of this build and not of a store.
var errDriver = errors.New("the SQLite driver lacks a method that the writer needs")

// dialFile opens the connection of a file's writer.
func (d *DB) dialFile() (session, error) {
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

// connect opens the writer's connection. Switching a fresh file to write-ahead
// logging needs it alone for a moment and does not wait for a busy timeout.
func (d *DB) connect(ctx context.Context) (bun.Conn, error) {
	deadline := time.NewTimer(d.opts.BusyTimeout)
	defer deadline.Stop()
	for {
		conn, err := d.write.Conn(ctx)
		if err == nil {
			return conn, nil
		}
		if c := primary(err); c != lib.SQLITE_BUSY && c != lib.SQLITE_LOCKED {
			return bun.Conn{}, d.Fail("open", err)
		}
		select {
		case <-ctx.Done():
			return bun.Conn{}, ctx.Err()
		case <-deadline.C:
			return bun.Conn{}, d.Fail("open", err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (l *link) prepare() (err error) {
	statement := func(q string) (st driver.Stmt) {
		if err == nil {
			st, err = l.raw.Prepare(q)
		}
		if err != nil {
			return nil // and no nil pointer of the driver's
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

// Exec runs the i-th of Options.Statements, which is prepared in SQLite.
func (t *Tx) Exec(i int, values ...any) (driver.Result, error) {
	if t.server != nil {
		return t.DB.ExecContext(t.Ctx, t.server.server.db.opts.Statements[i], slices.Clone(values)...)
	}
	args := &t.link.args
	for n, v := range values {
		args[n] = driver.NamedValue{Ordinal: n + 1, Value: v}
	}
	return exec(t.link.prepared[i], args[:len(values)])
}

func (l *link) tx() *Tx { t := newTx(l.db, l.conn); t.link = l; return t }

// foldLog writes the whole log into the file and empties it. The error is
// storage.locked while somebody reads or writes.
func (l *link) foldLog() error {
	var busy, frames, folded int64
	if err := l.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &folded); err != nil {
		return err
	}
	if busy != 0 {
		return abi.NewError(abi.CodeStoreLocked, "another process reads the store", "wait until it is done").WithDetail(l.db.Path)
	}
	return nil
}
