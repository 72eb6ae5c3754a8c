package storage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/access"
	"github.com/pdpp-host/pdpp-host/storage/connection"
	"github.com/pdpp-host/pdpp-host/storage/credential"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/notice"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
	"github.com/pdpp-host/pdpp-host/storage/question"
	"github.com/pdpp-host/pdpp-host/storage/read"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// Options says where the store is and what it works with.
type Options struct {
	Path   string           // the SQLite file, whose folder is made (0700) when missing, or an address postgres://…
	Now    func() time.Time // required: the wall clock
	NewID  func() string    // ids of connections; nil: 128 random bits
	Logger *slog.Logger     // nil: discarded
	// History is how long runs are kept that have ended; 0: for ever. An outbox has a
	// rule of its own, see PruneHistory.
	History time.Duration

	busyTimeout time.Duration // how long to wait for another process; 0: 15 s
	maxPages    int           // a full disk, in tests; 0: no bound
	unsynced    bool          // do not sync the disk, in tests
	checkpoint  int           // pages of log before it is folded back; 0: 10,000
}

// The rooms, embedded: their methods are the store's own.
type (
	recordRoom     = record.Store
	evidenceRoom   = evidence.Store
	credentialRoom = credential.Store
	runRoom        = run.Store
	connectionRoom = connection.Store
	deviceRoom     = devices.Store
	accessRoom     = access.Store
	questionRoom   = question.Store
	readRoom       = read.Store
	noticeRoom     = notice.Store
)

// Store is an open evidence store. All methods are safe for concurrent use,
// and several processes may have the same file open.
type Store struct {
	*recordRoom
	*evidenceRoom
	*credentialRoom
	*runRoom
	*connectionRoom
	*deviceRoom
	*accessRoom
	*questionRoom
	*readRoom
	*noticeRoom

	db *db.DB
}

// Open opens the store at o.Path, makes it when it is missing (file 0600 in a
// folder 0700), and brings its schema up to date. Errors: storage.newer_version
// when a newer pdpp-host wrote it, storage.migration when its schema's history
// differs from this program's, storage.lane_mismatch when it is a collector's outbox,
// storage.corrupt, storage.locked, storage.unavailable,
// storage.unsafe when others can change it. Nothing is changed in a file that is
// refused. A group's right to write to the folder or the file is taken away.
func Open(ctx context.Context, o Options) (*Store, error) {
	return openHost(ctx, o, db.Open)
}

// OpenToRead opens the store at o.Path for somebody who changes nothing of it. Where
// there is none, it makes none: what is opened is empty. One that this process cannot
// write to is read as it stands, and where SQLite would have to write for that (a log
// that is not folded back, a schema to bring up to date), in a copy that Close
// removes; each write of it fails. Any other is opened as it is, with the errors of Open:
// one that Open would bring up to date is refused with storage.older_version.
func OpenToRead(ctx context.Context, o Options) (*Store, error) {
	return openHost(ctx, o, db.OpenToRead)
}

// OpenToShow is OpenToRead for a server that shows a store which takes no writes: each write is
// refused with why, until it is opened again. An older file is shown in a copy.
func OpenToShow(ctx context.Context, o Options, why error) (*Store, error) {
	return openHost(ctx, o, func(ctx context.Context, o db.Options) (*db.DB, error) { return db.Show(ctx, o, why) })
}

// CodeOlder is db.CodeOlder.
const CodeOlder = db.CodeOlder

// openDatabase is db.Open, db.OpenAsItIs or db.OpenToRead.
type openDatabase func(context.Context, db.Options) (*db.DB, error)

func openHost(ctx context.Context, o Options, open openDatabase) (*Store, error) {
	return openAs(ctx, o, open, run.HostSink{}, finished(outbox.Accept(nil, o.Path)), func(context.Context, *db.DB) error { return nil })
}

// openAs opens a store whose runs collect into sink. accept is as in db.Options; take
// completes a file that was opened for writing, before anything else is written to it.
func openAs(
	ctx context.Context, o Options, open openDatabase, sink run.Sinks,
	accept func(context.Context, bun.IDB, int) error, take func(context.Context, *db.DB) error,
) (*Store, error) {
	ready := func(ctx context.Context, d *db.DB) error {
		if err := take(ctx, d); err != nil {
			return err
		}
		s := furnish(d, sink, o.History)
		return errors.Join(s.SweepRemoved(ctx), s.Fill(ctx))
	}
	d, err := open(ctx, db.Options{
		Path: o.Path, Now: o.Now, NewID: o.NewID, Logger: o.Logger, Accept: accept, Current: evidence.Current, Ready: ready,
		Setup: record.Setup, Statements: record.Statements,
		BusyTimeout: o.busyTimeout, MaxPages: o.maxPages, Unsynced: o.unsynced, Checkpoint: o.checkpoint,
	})
	if err != nil {
		return nil, err
	}
	return furnish(d, sink, o.History), nil
}

// furnish puts the rooms over an open database.
func furnish(d *db.DB, sink run.Sinks, history time.Duration) *Store {
	credentials, runs := credential.New(d), run.New(d, sink, history)
	return &Store{
		recordRoom: record.New(d), evidenceRoom: evidence.New(d), credentialRoom: credentials, runRoom: runs,
		connectionRoom: connection.New(d, credentials), deviceRoom: devices.New(d, runs), accessRoom: access.New(d), questionRoom: question.New(d),
		readRoom: read.New(d), noticeRoom: notice.New(d), db: d,
	}
}

// Close writes what is queued, waits for the writer and closes the file. Runs
// that did not finish keep their lease until it expires or its holder is gone.
func (s *Store) Close() error { return s.db.Close() }

// Watch looks whether anybody has written to the store: see db.Watch.
type Watch = db.Watch

// Watch begins to watch the store. Close it.
func (s *Store) Watch(ctx context.Context) (*Watch, error) { return s.db.Watch(ctx) }

// Activity is db.Activity.
type Activity = db.Activity

// Activity returns what the store has done since it was opened. It reads memory alone.
func (s *Store) Activity() Activity { return s.db.Activity() }

// Refuses returns why the store did not take the last write of this process: storage.full or
// storage.unavailable. "": it did, or there was none.
func (s *Store) Refuses() abi.Code { return s.db.Refuses() }

// Path returns the store's file.
func (s *Store) Path() string { return s.db.Path }

// HashKey returns the hash of a key's canonical text.
func HashKey(key []byte) KeyHash { return record.HashKey(key) }

// Day counts the days since 1970, in UTC.
func Day(t time.Time) int64 { return db.Day(t) }

// Date is the inverse of Day.
func Date(day int64) time.Time { return db.Date(day) }

// WithAudit is access.WithAudit.
func WithAudit(ctx context.Context, e AuditEvent, keep time.Duration) (context.Context, *access.Audit) {
	return access.WithAudit(ctx, e, keep)
}
