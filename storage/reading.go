package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

// OpenToRead opens the store at o.Path for somebody who changes nothing of it. Where
// there is none, it makes none: what is opened is empty. One that this process cannot
// write to is read as it stands, and where SQLite would have to write for that (a log
// that is not folded back, a schema to bring up to date), in a copy that Close
// removes; each write of it fails. Any other is opened by Open, whose errors it has.
func OpenToRead(ctx context.Context, o Options) (*Store, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil || o.Path == "" {
		return Open(ctx, o)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return openCopy(ctx, o, "")
	case err != nil || !info.Mode().IsRegular() || info.Size() < smallestFile:
		return Open(ctx, o) // which says what is wrong with it
	case writable(path) && writable(filepath.Dir(path)):
		s, err := Open(ctx, o)
		if abi.CodeOf(err) != abi.CodeStoreFull {
			return s, err
		}
	}
	if err := checkOwners(path); err != nil {
		return nil, err
	}
	if s, err := openFixed(ctx, o, path); s != nil || err != nil {
		return s, err
	}
	return openCopy(ctx, o, path)
}

// openFixed opens a file that nobody writes: nothing is made beside it. Without an
// error it returns nil where that does not tell all there is.
func openFixed(ctx context.Context, o Options, path string) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newStore(path, o)
	if quiet, _ := s.quiet(); !quiet {
		return nil, nil //nolint:nilnil // its log has to be read, too
	}
	db, err := s.pool(readConnections, s.dsn("", "query_only(1)", pragma("cache_size", -readerCacheKiB))+"&mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	current, err := s.current(ctx, db)
	if err != nil || !current {
		return nil, errors.Join(err, db.Close())
	}
	s.read, s.write = db, db
	s.writer = startWriter(s)
	return s, nil
}

// current reports whether the file can be read as it is by this program.
func (s *Store) current(ctx context.Context, db *bun.DB) (bool, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, s.fail("open", err)
	}
	defer func() { _ = conn.Close() }()
	steps, err := s.pending(ctx, conn)
	if err == nil {
		err = s.laneFits(ctx, conn, len(steps))
	}
	if err != nil || len(steps) > 0 {
		return false, s.fail("read the schema", err)
	}
	var old int64
	err = conn.QueryRowContext(ctx, "SELECT count(*) FROM evidence WHERE format <> ?", evidenceFormat).Scan(&old)
	return old == 0, s.fail("read the evidence", err)
}

// openCopy opens a copy of the file at path and of its log, in a folder of this user's
// own; "" is no file.
func openCopy(ctx context.Context, o Options, path string) (_ *Store, err error) {
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
	s, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s.temporary = dir
	return s, nil
}
