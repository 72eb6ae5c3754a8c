package db

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// OpenToRead opens the store at o.Path for somebody who changes nothing of it. Where
// there is none, it makes none: what is opened is empty. One that this process cannot
// write to is read as it stands, and where SQLite would have to write for that (a log
// that is not folded back, a schema to bring up to date), in a copy that Close
// removes; each write of it fails. Any other is opened by Open, whose errors it has.
func OpenToRead(ctx context.Context, o Options) (*DB, error) {
	if postgres.Is(o.Path) {
		return openServerToRead(ctx, o)
	}
	path, err := filepath.Abs(o.Path)
	if err != nil || o.Path == "" {
		return Open(ctx, o)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return openCopy(ctx, o, "")
	case err == nil && info.Mode().IsRegular() && info.Size() == 0: // there was room for its name alone, see Open
		d, err := Open(ctx, o)
		if abi.CodeOf(err) != abi.CodeStoreFull {
			return d, err
		}
		return openCopy(ctx, o, "")
	case err != nil || !info.Mode().IsRegular() || info.Size() < smallestFile:
		return Open(ctx, o) // which says what is wrong with it
	case writable(path) && writable(filepath.Dir(path)):
		d, err := Open(ctx, o)
		if abi.CodeOf(err) != abi.CodeStoreFull {
			return d, err
		}
	}
	if err := checkOwners(path); err != nil {
		return nil, err
	}
	if d, err := openFixed(ctx, o, path); d != nil || err != nil {
		return d, err
	}
	return openCopy(ctx, o, path)
}

// openServerToRead opens a database with a current schema as it is, an empty file where
// the database holds no store yet, and one with an older schema by bringing it up to date.
func openServerToRead(ctx context.Context, o Options) (*DB, error) {
	d, fresh, left, err := reachServer(ctx, o)
	if err != nil {
		return nil, err
	}
	current := left == 0
	if current && !fresh {
		current, err = d.opts.Current(ctx, d.Read)
	}
	switch {
	case err == nil && current && !fresh:
		d.writer = startWriter(d)
		return d, nil
	case err != nil:
		return nil, errors.Join(d.Fail("read the store", err), d.Close())
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	if fresh {
		return openCopy(ctx, o, "")
	}
	return openServer(ctx, o)
}

// openFixed opens a file that nobody writes: nothing is made beside it. Without an
// error it returns nil where that does not tell all there is.
func openFixed(ctx context.Context, o Options, path string) (*DB, error) {
	d := unopened(path, o)
	if quiet, _ := d.quiet(); !quiet {
		return nil, nil //nolint:nilnil // its log has to be read, too
	}
	pool, err := d.pool(readConnections, d.dsn("", "query_only(1)", pragma("cache_size", -readerCacheKiB))+"&mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	current, err := d.current(ctx, pool)
	if err != nil || !current {
		return nil, errors.Join(err, pool.Close())
	}
	d.Read, d.write, d.fixed = pool, pool, true
	d.writer = startWriter(d)
	return d, nil
}

// Show is OpenToRead for somebody who shows the database while it takes no writes: each is refused
// with why, those in a copy too, which would be lost with it.
func Show(ctx context.Context, o Options, why error) (*DB, error) {
	d, err := OpenToRead(ctx, o)
	if err == nil {
		d.shown.Store(&why)
		d.note(why)
	}
	return d, err
}

// current reports whether the file can be read as it is by this program.
func (d *DB) current(ctx context.Context, pool *bun.DB) (bool, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return false, d.Fail("open", err)
	}
	defer func() { _ = conn.Close() }()
	steps, err := d.pending(ctx, conn)
	if err == nil {
		err = d.accept(ctx, conn, steps)
	}
	if err != nil || len(steps) > 0 {
		return false, d.Fail("read the schema", err)
	}
	current, err := d.opts.Current(ctx, conn)
	return current, d.Fail("read the file", err)
}

// openCopy opens a copy of the file at path and of its log, in a folder of this user's
// own; "" is no file.
func openCopy(ctx context.Context, o Options, path string) (_ *DB, err error) {
	uncopied := func(err error) error {
		return abi.NewError(abi.CodeStoreUnavailable, "the store cannot be read where it is, nor copied to be read",
			"make room in the folder for temporary files, or name another one in TMPDIR").WithDetail(path).Wrap(err)
	}
	dir, err := os.MkdirTemp("", "pdpp-reading-")
	if err != nil {
		return nil, uncopied(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	o.Path = filepath.Join(dir, "pdpp.sqlite")
	for _, end := range []string{"", "-wal"} {
		if path == "" {
			break
		}
		if err := copyFile(o.Path+end, path+end); err != nil && (end == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, uncopied(err)
		}
	}
	d, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	d.temporary = dir
	return d, nil
}
