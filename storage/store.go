package storage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Options says where the store is and what it works with.
type Options struct {
	Path   string           // the SQLite file, whose folder is made (0700) when missing, or an address postgres://…
	Now    func() time.Time // required: the wall clock
	NewID  func() string    // ids of connections; nil: 128 random bits
	Logger *slog.Logger     // nil: discarded
	Lane   *Lane            // nil: a host's own store; else a collector's outbox
	// History is how long runs are kept that have ended; 0: for ever. A lane has a
	// rule of its own, see PruneHistory.
	History time.Duration

	busyTimeout time.Duration // how long to wait for another process; 0: 15 s
	maxPages    int           // a full disk, in tests; 0: no bound
	unsynced    bool          // do not sync the disk, in tests
	checkpoint  int           // pages of log before it is folded back; 0: 10,000
}

// Store is an open evidence store. All methods are safe for concurrent use,
// and several processes may have the same file open.
type Store struct {
	db *db.DB

	opts    Options
	sink    Sink // of what its runs collect
	history time.Duration
}

// Open opens the store at o.Path, makes it when it is missing (file 0600 in a
// folder 0700), and brings its schema up to date. Errors: storage.newer_version
// when a newer pdpp-host wrote it, storage.migration when its schema's history
// differs from this program's, storage.lane_mismatch when it belongs to another lane
// than o.Lane, storage.corrupt, storage.locked, storage.unavailable,
// storage.unsafe when others can change it. Nothing is changed in a file that is
// refused. A group's right to write to the folder or the file is taken away.
func Open(ctx context.Context, o Options) (*Store, error) { return openWith(ctx, o, db.Open) }

// OpenToRead opens the store at o.Path for somebody who changes nothing of it. Where
// there is none, it makes none: what is opened is empty. One that this process cannot
// write to is read as it stands, and where SQLite would have to write for that (a log
// that is not folded back, a schema to bring up to date), in a copy that Close
// removes; each write of it fails. Any other is opened by Open, whose errors it has.
func OpenToRead(ctx context.Context, o Options) (*Store, error) {
	return openWith(ctx, o, db.OpenToRead)
}

func openWith(ctx context.Context, o Options, open func(context.Context, db.Options) (*db.DB, error)) (*Store, error) {
	lane, err := o.Lane.settled()
	if err != nil {
		return nil, err
	}
	o.Lane = lane
	if lane != nil && db.OnServer(o.Path) {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "a collector's queue is a file, and not a database on a server", "name a file with --queue")
	}
	s := &Store{opts: o, sink: HostSink{}, history: o.History}
	if lane != nil {
		s.sink, s.history = lane, 0
	}
	d, err := open(ctx, db.Options{
		Path: o.Path, Now: o.Now, NewID: o.NewID, Logger: o.Logger, Accept: s.fits, Current: evidenceCurrent, Ready: s.ready,
		Setup: recordSetup, Statements: recordStatements,
		BusyTimeout: o.busyTimeout, MaxPages: o.maxPages, Unsynced: o.unsynced, Checkpoint: o.checkpoint,
	})
	if err != nil {
		return nil, err
	}
	s.db = d
	if lane != nil {
		lane.path = d.Path
	}
	return s, nil
}

// ready completes a file that was just opened for writing.
func (s *Store) ready(ctx context.Context, d *db.DB) error {
	s.db = d
	err := s.takeLane(ctx)
	if err == nil {
		err = errors.Join(s.sweepRemoved(ctx), s.fillEvidence(ctx))
	}
	return err
}

// Close writes what is queued, waits for the writer and closes the file. Runs
// that did not finish keep their lease until it expires or its holder is gone.
func (s *Store) Close() error { return s.db.Close() }

// Path returns the store's file.
func (s *Store) Path() string { return s.db.Path }

// fits says whether the store may be opened as what it is opened for.
func (s *Store) fits(ctx context.Context, q bun.IDB, applied int) error {
	if db.OnServer(s.opts.Path) {
		return nil // no lane is there
	}
	return s.laneFits(ctx, q, applied)
}
