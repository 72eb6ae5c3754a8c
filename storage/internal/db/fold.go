package db

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Deleted text is overwritten where it lay (secure_delete), in pages that are freed, too. The
// write-ahead log keeps older images of the same pages until it is truncated: the writer does
// that as soon as it has nothing else to do, once something was deleted.

// FoldLog waits until the log is folded back, for as long as a write waits for
// other processes. After that it is left to the writer: what was asked for is
// durable.
func (d *DB) FoldLog(ctx context.Context) error {
	for start := time.Now(); ; { // elapsed time, not the wall clock
		o := &Op{fold: true, Done: make(chan error, 1)}
		if err := d.Push(o); err != nil {
			return err
		}
		err := <-o.Done
		if abi.CodeOf(err) != abi.CodeStoreLocked {
			return err
		}
		if time.Since(start) > d.opts.BusyTimeout {
			d.opts.Logger.Warn("another process reads the store: its log keeps what was deleted until that ends")
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// foldLeft folds back a log that this process did not write: a process that was killed between a
// deletion and the fold leaves what it deleted in the file and in the log. While somebody reads
// the store it is left to the writer.
func (d *DB) foldLeft() {
	if _, log := d.Size(context.Background()); log == 0 {
		return
	}
	o := &Op{fold: true, Done: make(chan error, 1)}
	err := d.Push(o)
	if err == nil {
		err = <-o.Done
	}
	if err != nil {
		d.opts.Logger.Debug("the log of another process was not folded back", "error", err)
	}
}

// Vacuum writes the file anew, without free pages, and empties its log.
func (d *DB) Vacuum(ctx context.Context) error {
	if d.pg != nil {
		return d.pg.vacuum(ctx)
	}
	pool, err := d.pool(1, d.dsn("WAL", d.writerPragmas()...))
	if err != nil {
		return err
	}
	if _, err = pool.ExecContext(ctx, "VACUUM"); err == nil {
		_, err = pool.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return d.Fail("compact", errors.Join(err, pool.Close()))
}

// Size returns the bytes of the file and of its log.
func (d *DB) Size(ctx context.Context) (file, log int64) {
	if d.pg != nil {
		return d.pg.size(ctx), 0
	}
	if info, err := os.Stat(d.Path); err == nil {
		file = info.Size()
	}
	if info, err := os.Stat(d.Path + "-wal"); err == nil {
		log = info.Size()
	}
	return file, log
}

// vacuum writes the store's tables anew, without room for rows that are gone.
func (p *server) vacuum(ctx context.Context) error {
	pool := p.pool(1, false)
	var names []string
	err := pool.NewRaw("SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1").Scan(ctx, &names)
	for _, name := range names {
		if err == nil {
			_, err = pool.ExecContext(ctx, "VACUUM (FULL, ANALYZE) "+name) //nolint:gosec // a table's own, quoted
		}
	}
	return p.db.Fail("compact", errors.Join(err, pool.Close()))
}

// size returns the bytes of the store's tables with their indexes.
func (p *server) size(ctx context.Context) (n int64) {
	_ = p.db.Read.NewRaw("SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace").Scan(ctx, &n)
	return n
}
