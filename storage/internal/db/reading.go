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
// removes; each write of it fails. Any other is opened by OpenAsItIs, whose errors it has:
// storage.older_version for a store that has to be brought up to date.
func OpenToRead(ctx context.Context, o Options) (*DB, error) { return openToRead(ctx, o, false) }

// openToRead is OpenToRead that reads an older file in a copy, if copied is set.
func openToRead(ctx context.Context, o Options, copied bool) (*DB, error) {
	if postgres.Is(o.Path) {
		d, err := openServerAsItIs(ctx, o)
		if d == nil && err == nil {
			return openCopy(ctx, o, "")
		}
		return d, err
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
		return openCopy(ctx, o, "")
	case err != nil || !info.Mode().IsRegular() || info.Size() < smallestFile:
		return Open(ctx, o) // which says what is wrong with it
	case writable(path) && writable(filepath.Dir(path)):
		d, err := OpenAsItIs(ctx, o)
		switch code := abi.CodeOf(err); {
		case code == CodeOlder && copied:
			return openCopy(ctx, o, path)
		case code != abi.CodeStoreFull:
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

// openServerAsItIs is OpenAsItIs of a server.
func openServerAsItIs(ctx context.Context, o Options) (*DB, error) {
	d, fresh, left, err := reachServer(ctx, o)
	if err != nil {
		return nil, err
	}
	if fresh {
		return nil, d.Close() //nolint:nilnil // there is no store
	}
	current := left == 0
	if current {
		current, err = d.opts.Current(ctx, d.Read)
	}
	switch {
	case err != nil:
		return nil, errors.Join(d.Fail("read the store", err), d.Close())
	case !current:
		return nil, errors.Join(older(d.Path), d.Close())
	}
	d.writer = startWriter(d)
	return d, nil
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
// with why, those in a copy too, which would be lost with it. An older file is shown in a copy.
func Show(ctx context.Context, o Options, why error) (*DB, error) {
	d, err := openToRead(ctx, o, true)
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
