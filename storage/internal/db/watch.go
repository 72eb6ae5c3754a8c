package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
)

// Watch looks whether anybody has written to the database, this process among them. Its
// methods are for one goroutine at a time.
type Watch struct {
	db    *DB
	conn  bun.IDB
	close func() error
	seen  string
}

// changeMark is a text that another one takes the place of with each commit. Neither
// question opens a table. SQLite answers from the header of its log, for this connection,
// which never writes; a server says which transactions are over, of any of its databases.
const (
	changeMark       = "PRAGMA data_version"
	serverChangeMark = "SELECT pg_current_snapshot()::text"
)

// Watch begins to watch. Close it.
func (d *DB) Watch(ctx context.Context) (*Watch, error) {
	w := &Watch{db: d, conn: d.Read, close: func() error { return nil }}
	if d.pg == nil && !d.fixed {
		pool, err := d.pool(1, d.dsn("", d.busyPragma(), "query_only(1)", pragma("cache_size", 1)))
		if err != nil {
			return nil, err
		}
		conn, err := pool.Conn(ctx)
		if err != nil {
			_ = pool.Close()
			return nil, d.Fail("watch the store", err)
		}
		w.conn, w.close = conn, func() error { return errors.Join(conn.Close(), pool.Close()) }
	}
	if _, err := w.Changed(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Changed reports whether there was a commit since it was last asked.
func (w *Watch) Changed(ctx context.Context) (bool, error) {
	question := changeMark
	if w.db.pg != nil {
		question = serverChangeMark
	}
	var mark string
	if err := w.conn.QueryRowContext(ctx, question).Scan(&mark); err != nil {
		return false, w.db.Fail("watch the store", err)
	}
	changed := mark != w.seen
	w.seen = mark
	return changed, nil
}

// Close ends the watch.
func (w *Watch) Close() error { return w.close() }
