package db

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// DB is an open database. All methods are safe for concurrent use, and several
// processes may have the same file open.
type DB struct {
	Path string  // the file, or the server's address without its password
	Read *bun.DB // the read pool: query_only

	opts   Options
	write  *bun.DB // one connection, the writer goroutine's
	writer *writer
	pg     *server // nil: SQLite

	temporary string // the folder of a copy that Close removes; "": it is no copy
}

const (
	// A run may be hours old when another process holds the lock: it waits for
	// half of the time that its lease lasts.
	defaultBusyTimeout = 15 * time.Second

	// Figures: docs/performance.md. A larger page and a lazier checkpoint each
	// make bulk writes faster; cache sizes are in KiB and bound the memory of a
	// run over gigabytes.
	pageSize        = 8192
	autoCheckpoint  = 10000 // pages of the write-ahead log, 80 MB
	writerCacheKiB  = 8 << 10
	readerCacheKiB  = 4 << 10
	readConnections = 4

	// smallestFile is a database of one page of the smallest size. SQLite takes
	// a shorter file for an empty database, and writes over it.
	smallestFile = 512

	// applicationID marks the file as ours ("PDPP").
	applicationID = 0x50445050
)

// Open opens the database at o.Path, makes it when it is missing (file 0600 in a
// folder 0700), and brings its schema up to date. Errors: storage.newer_version
// when a newer pdpp-host wrote it, storage.migration when its schema's history
// differs from this program's, storage.corrupt, storage.locked, storage.unavailable,
// storage.unsafe when others can change it, those of o.Accept and of o.Ready. Nothing is changed in
// a file that is refused. A group's right to write to the folder or the file is taken away.
func Open(ctx context.Context, o Options) (*DB, error) {
	if postgres.Is(o.Path) {
		return openServer(ctx, o)
	}
	path, err := prepareFile(o.Path)
	if err != nil {
		return nil, err
	}
	d := unopened(path, o)
	if err := d.inspect(ctx); err != nil {
		return nil, err
	}
	if d.write, err = d.pool(1, d.dsn("WAL", d.writerPragmas()...)); err != nil {
		return nil, err
	}
	if err := d.migrate(ctx); err != nil {
		_ = d.write.Close()
		return nil, err
	}
	if d.Read, err = d.pool(readConnections, d.dsn("", d.busyPragma(), "query_only(1)", pragma("cache_size", -readerCacheKiB))); err != nil {
		_ = d.write.Close()
		return nil, err
	}
	d.writer = startWriter(d)
	if err := d.opts.Ready(ctx, d); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// unopened is a database that is not open.
func unopened(path string, o Options) *DB { return &DB{Path: path, opts: o.withDefaults()} }

// Logger returns where warnings go.
func (d *DB) Logger() *slog.Logger { return d.opts.Logger }

// Now returns the time of the wall clock.
func (d *DB) Now() time.Time { return d.opts.Now() }

func (d *DB) busyPragma() string { return pragma("busy_timeout", d.opts.BusyTimeout.Milliseconds()) }

func (d *DB) writerPragmas() []string {
	list := []string{
		d.busyPragma(), pragma("page_size", pageSize), "synchronous(FULL)", "foreign_keys(1)", "temp_store(MEMORY)",
		"secure_delete(1)", // what is deleted is overwritten, in pages that are freed, too
		pragma("cache_size", -writerCacheKiB), pragma("wal_autocheckpoint", int64(d.opts.Checkpoint)),
		pragma("journal_size_limit", autoCheckpoint*pageSize),
	}
	if d.opts.Unsynced {
		list = append(list, "synchronous(OFF)") // sorted behind FULL
	}
	if d.opts.MaxPages > 0 {
		list = append(list, pragma("max_page_count", int64(d.opts.MaxPages)))
	}
	return list
}

func pragma(name string, value int64) string { return name + "(" + strconv.FormatInt(value, 10) + ")" }

// Close writes what is queued, waits for the writer and closes the file. Runs
// that did not finish keep their lease until it expires or its holder is gone.
func (d *DB) Close() error {
	if d.writer != nil {
		d.writer.close()
	}
	err := errors.Join(d.Read.Close(), d.write.Close())
	if d.temporary != "" {
		err = errors.Join(err, os.RemoveAll(d.temporary))
	}
	return err
}

func (d *DB) pool(connections int, dsn string) (*bun.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, d.Fail("open", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return bun.NewDB(db, sqliteDialect{sqlitedialect.New()}), nil
}

// dsn names the file as a URI, so that no character of the path is taken for a
// parameter, with the pragmas that every connection starts with. The driver
// sorts pragmas by name, and the journal mode fixes the page size of an empty
// file, so the mode is a parameter of its own, which comes last.
func (d *DB) dsn(journal string, pragmas ...string) string {
	p := filepath.ToSlash(d.Path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	q := url.Values{"_pragma": pragmas}
	if journal != "" {
		q.Set("_journal_mode", journal)
	}
	return (&url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}).String()
}

// creating keeps two stores of one process apart while the file is made: a
// process that closes a file loses the locks it holds on it elsewhere. For the
// same reason nothing here opens a file that exists.
var creating sync.Mutex

// prepareFile makes the folder and the file with their modes before SQLite
// does; the log and index files beside it take the file's mode.
func prepareFile(path string) (string, error) {
	creating.Lock()
	defer creating.Unlock()
	unavailable := func(message string, err error) error {
		if readOnly(err) && !errors.Is(err, fs.ErrNotExist) {
			return readOnlyFolder(path, err).Wrap(err)
		}
		return abi.NewError(abi.CodeStoreUnavailable, message, "check data_dir and the mode of its folders").
			WithDetail(path).Wrap(err)
	}
	if path == "" {
		return "", abi.NewError(abi.CodeStoreUnavailable, "the store has no path", "set data_dir or storage.dsn")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", unavailable("the store's path is unusable", err)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return "", unavailable("the store's folder cannot be made", err)
	}
	if err := checkOwners(full); err != nil {
		return "", err
	}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(full, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return full, nil // another process was quicker
		}
		if err != nil {
			return "", unavailable("the store cannot be made", err)
		}
		return full, f.Close()
	case err != nil:
		return "", unavailable("the store cannot be read", err)
	case !info.Mode().IsRegular():
		return "", unavailable("the store is not a regular file", nil)
	}
	if n := info.Size(); n > 0 && n < smallestFile {
		return "", notADatabase().WithDetail(full)
	}
	if info.Mode().Perm()&0o077 != 0 {
		// Personal data: nobody else reads it. Best effort, since the file may
		// be another user's and still be writable for us.
		_ = os.Chmod(full, 0o600)
	}
	return full, nil
}

// checkOwners is checkOwner of the folder, the file, and what lies beside it.
func checkOwners(full string) error {
	for _, own := range []string{filepath.Dir(full), full, full + "-wal", full + "-shm"} {
		if info, err := os.Stat(own); err == nil {
			if err := checkOwner(own, info); err != nil {
				return err
			}
		}
	}
	return nil
}
