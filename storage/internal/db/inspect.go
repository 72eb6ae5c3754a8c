package db

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/uptrace/bun"
)

// Inspect has fn read the existing file at path with q, and changes nothing: it makes no
// file beside it, runs no migration and takes no lock that a run would wait for. applied
// is how many migrations the file has run. fn may be called a second time, when somebody
// began to write meanwhile; the second call counts.
func Inspect(ctx context.Context, path string, fn func(q *bun.DB, applied int) error) error {
	if info, err := os.Stat(path); err == nil && info.Size() < smallestFile {
		return notADatabase().WithDetail(path)
	}
	d := unopened(path, Options{})
	quiet, before := d.quiet()
	err := d.inspectWith(ctx, quiet, fn)
	if still, after := d.quiet(); quiet && (!still || !after.Equal(before)) {
		// Somebody began to write while it was read as if nobody could.
		err = d.inspectWith(ctx, false, fn)
	}
	return d.Fail("inspect", err)
}

// quiet reports whether the file has no log beside it, so that the file is complete and
// nobody writes; and when it was changed last.
func (d *DB) quiet() (bool, time.Time) {
	var changed time.Time
	if info, err := os.Stat(d.Path); err == nil {
		changed = info.ModTime()
	}
	log, err := os.Stat(d.Path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0, changed
}

// inspectWith reads the file: as one that nobody writes, for which SQLite makes
// no file beside it, or through the log of who writes it.
func (d *DB) inspectWith(ctx context.Context, quiet bool, fn func(q *bun.DB, applied int) error) error {
	if _, err := os.Stat(d.Path + "-shm"); !quiet && errors.Is(err, fs.ErrNotExist) {
		return d.inspectCopy(ctx, fn)
	}
	dsn := d.dsn("", d.busyPragma(), "query_only(1)") + "&mode=ro"
	if quiet {
		dsn += "&immutable=1"
	}
	pool, err := d.pool(1, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	applied, err := d.applied(ctx, pool)
	if err != nil {
		return err
	}
	return fn(pool, applied)
}

func (d *DB) applied(ctx context.Context, pool *bun.DB) (int, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return 0, err
	}
	steps, err := d.pending(ctx, conn)
	known, kerr := migrations()
	return len(known) - len(steps), errors.Join(err, kerr, conn.Close())
}

// inspectCopy reads a file with a log whose index is missing, for which SQLite
// would make one beside it. No process has the file open then, so a copy is
// whole.
func (d *DB) inspectCopy(ctx context.Context, fn func(q *bun.DB, applied int) error) (err error) {
	dir, err := os.MkdirTemp("", "pdpp-inspect-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c := unopened(filepath.Join(dir, "pdpp.sqlite"), d.opts)
	for _, end := range []string{"", "-wal"} {
		if err := copyFile(c.Path+end, d.Path+end); err != nil {
			return err
		}
	}
	if err := os.WriteFile(c.Path+"-shm", nil, 0o600); err != nil { // filled in when it is opened
		return err
	}
	return c.inspectWith(ctx, false, fn)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
