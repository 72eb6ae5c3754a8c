package storage

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
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
)

// Options says where the store is and what it works with.
type Options struct {
	Path   string           // the SQLite file; its folder is made (0700) when missing
	Now    func() time.Time // required: the wall clock
	NewID  func() string    // ids of connections; nil: 128 random bits
	Logger *slog.Logger     // nil: discarded
	Lane   *Lane            // nil: a host's own store; else a collector's outbox
	// History is how long runs are kept that have ended; 0: for ever. A lane has a
	// rule of its own, see PruneHistory.
	History time.Duration

	busyTimeout time.Duration // how long to wait for another process; 0: 5 s
	maxPages    int           // a full disk, in tests; 0: no bound
	unsynced    bool          // do not sync the disk, in tests
	checkpoint  int           // pages of log before it is folded back; 0: autoCheckpoint
}

// Store is an open evidence store. All methods are safe for concurrent use,
// and several processes may have the same file open.
type Store struct {
	path   string
	now    func() time.Time
	newID  func() string
	logger *slog.Logger
	opts   Options

	write  *bun.DB // one connection, the writer goroutine's
	read   *bun.DB // the read pool: query_only
	writer *writer

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

// Open opens the store at o.Path, makes it when it is missing (file 0600 in a
// folder 0700), and brings its schema up to date. Errors: storage.newer_version
// when a newer pdpp-host wrote it, storage.migration when its schema's history
// differs from this program's, storage.lane_mismatch when it is of another lane
// than o.Lane, storage.corrupt, storage.locked, storage.unavailable,
// storage.unsafe when others can change it. Nothing is changed in a file that is
// refused. A group's right to write to the folder or the file is taken away.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	path, err := prepareFile(o.Path)
	if err != nil {
		return nil, err
	}
	s := newStore(path, o)
	if err := s.inspect(ctx); err != nil {
		return nil, err
	}
	if s.write, err = s.pool(1, s.dsn("WAL", s.writerPragmas()...)); err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil {
		_ = s.write.Close()
		return nil, err
	}
	if s.read, err = s.pool(readConnections, s.dsn("", s.busyPragma(), "query_only(1)", pragma("cache_size", -readerCacheKiB))); err != nil {
		_ = s.write.Close()
		return nil, err
	}
	s.writer = startWriter(s)
	if err = s.takeLane(ctx); err == nil {
		err = errors.Join(s.sweepRemoved(ctx), s.fillEvidence(ctx))
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// withDefaults returns o with every field set that has a default.
func (o Options) withDefaults() (Options, error) {
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.busyTimeout == 0 {
		o.busyTimeout = defaultBusyTimeout
	}
	if o.checkpoint == 0 {
		o.checkpoint = autoCheckpoint
	}
	lane, err := o.Lane.settled()
	o.Lane = lane
	return o, err
}

func newStore(path string, o Options) *Store {
	return &Store{path: path, now: o.Now, newID: o.NewID, logger: o.Logger, opts: o}
}

func (s *Store) busyPragma() string { return pragma("busy_timeout", s.opts.busyTimeout.Milliseconds()) }

func (s *Store) writerPragmas() []string {
	list := []string{
		s.busyPragma(), pragma("page_size", pageSize), "synchronous(FULL)", "foreign_keys(1)", "temp_store(MEMORY)",
		"secure_delete(1)", // what is deleted is overwritten, in pages that are freed, too
		pragma("cache_size", -writerCacheKiB), pragma("wal_autocheckpoint", int64(s.opts.checkpoint)),
		pragma("journal_size_limit", autoCheckpoint*pageSize),
	}
	if s.opts.unsynced {
		list = append(list, "synchronous(OFF)") // sorted behind FULL
	}
	if s.opts.maxPages > 0 {
		list = append(list, pragma("max_page_count", int64(s.opts.maxPages)))
	}
	return list
}

func pragma(name string, value int64) string { return name + "(" + strconv.FormatInt(value, 10) + ")" }

// Close writes what is queued, waits for the writer and closes the file. Runs
// that did not finish keep their lease until it expires or its holder is gone.
func (s *Store) Close() error {
	s.writer.close()
	err := errors.Join(s.read.Close(), s.write.Close())
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// Path returns the store's file.
func (s *Store) Path() string { return s.path }

func (s *Store) pool(connections int, dsn string) (*bun.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, s.fail("open", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return bun.NewDB(db, sqlitedialect.New()), nil
}

// dsn names the file as a URI, so that no character of the path is taken for a
// parameter, with the pragmas that every connection starts with. The driver
// sorts pragmas by name, and the journal mode fixes the page size of an empty
// file, so the mode is a parameter of its own, which comes last.
func (s *Store) dsn(journal string, pragmas ...string) string {
	p := filepath.ToSlash(s.path)
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

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
