package storage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/access"
	"github.com/pdpp-host/pdpp-host/storage/connection"
	"github.com/pdpp-host/pdpp-host/storage/credential"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
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

// The rooms, embedded: their methods are the store's own.
type (
	recordRoom     = record.Store
	evidenceRoom   = evidence.Store
	credentialRoom = credential.Store
	runRoom        = run.Store
	connectionRoom = connection.Store
	deviceRoom     = devices.Store
	accessRoom     = access.Store
	outboxRoom     = outbox.Store
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
	*outboxRoom

	db *db.DB
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
	lane, err := o.Lane.Settled()
	if err != nil {
		return nil, err
	}
	if lane != nil && db.OnServer(o.Path) {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "a collector's queue is a file, and not a database on a server", "name a file with --queue")
	}
	s := &Store{outboxRoom: outbox.New(lane, o.Path)}
	d, err := open(ctx, db.Options{
		Path: o.Path, Now: o.Now, NewID: o.NewID, Logger: o.Logger, Accept: s.outboxRoom.Accept, Current: evidence.Current,
		Ready: func(ctx context.Context, d *db.DB) error { return s.ready(ctx, d, lane, o.History) },
		Setup: record.Setup, Statements: record.Statements,
		BusyTimeout: o.busyTimeout, MaxPages: o.maxPages, Unsynced: o.unsynced, Checkpoint: o.checkpoint,
	})
	if err != nil {
		return nil, err
	}
	s.furnish(d, lane, o.History)
	return s, nil
}

// furnish puts the rooms over an open database.
func (s *Store) furnish(d *db.DB, lane *Lane, history time.Duration) {
	sink := run.Sinks(run.HostSink{})
	if lane != nil {
		sink, history = lane, 0
	}
	s.db = d
	s.outboxRoom.Attach(d)
	s.recordRoom, s.evidenceRoom, s.credentialRoom, s.accessRoom = record.New(d), evidence.New(d), credential.New(d), access.New(d)
	s.runRoom = run.New(d, sink, history)
	s.connectionRoom, s.deviceRoom = connection.New(d, s.credentialRoom), devices.New(d, s.runRoom)
}

// ready completes a file that was just opened for writing.
func (s *Store) ready(ctx context.Context, d *db.DB, lane *Lane, history time.Duration) error {
	s.furnish(d, lane, history)
	err := s.outboxRoom.Take(ctx)
	if err == nil {
		err = errors.Join(s.SweepRemoved(ctx), s.Fill(ctx))
	}
	return err
}

// Close writes what is queued, waits for the writer and closes the file. Runs
// that did not finish keep their lease until it expires or its holder is gone.
func (s *Store) Close() error { return s.db.Close() }

// Path returns the store's file.
func (s *Store) Path() string { return s.db.Path }

// HashKey returns the hash of a key's canonical text.
func HashKey(key []byte) KeyHash { return record.HashKey(key) }

// WithAudit is access.WithAudit.
func WithAudit(ctx context.Context, e AuditEvent, keep time.Duration) (context.Context, *access.Audit) {
	return access.WithAudit(ctx, e, keep)
}

// InspectLane is outbox.InspectLane.
func InspectLane(ctx context.Context, path string, now time.Time) (LaneInfo, OutboxCounts, error) {
	return outbox.InspectLane(ctx, path, now)
}

// TransientClass is outbox.TransientClass.
func TransientClass(class string) bool { return outbox.TransientClass(class) }

// OutboxWord is outbox.Word.
func OutboxWord(s string) string { return outbox.Word(s) }
