package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

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

	refuses    atomic.Pointer[abi.Code] // see Refuses
	prepared   prepared
	overwriter overwriter

	temporary string                // the folder of a copy that Close removes; "": it is no copy
	fixed     bool                  // the file is read as it stands, and nothing is made beside it
	shown     atomic.Pointer[error] // why every write is refused, see Show; nil: none is for that
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

// Options says where the database is and what its rooms need of it.
type Options struct {
	Path   string           // of the SQLite file, whose folder is made (0700) when missing, or an address postgres://…
	Now    func() time.Time // the wall clock
	NewID  func() string    // ids of rows; nil: 128 random bits
	Logger *slog.Logger

	// Accept looks at an existing file before anything of it is changed; applied is how
	// many migrations it has run. An error refuses the file. nil: each file of ours is
	// accepted.
	Accept func(ctx context.Context, q bun.IDB, applied int) error
	// Current reports whether a file with a current schema can be read as it is, see
	// OpenToRead. nil: it can.
	Current func(ctx context.Context, q bun.IDB) (bool, error)
	// Ready runs when Open has opened a file for writing, before Open returns. An error
	// closes the file again. nil: nothing runs.
	Ready func(ctx context.Context, d *DB) error
	// Setup runs on the writer's connection when it is made; Statements are prepared on
	// it, for Tx.Exec.
	Setup, Statements []string

	BusyTimeout time.Duration // how long a write waits for another process; 0: 15 s
	MaxPages    int           // a full disk, in tests; 0: no bound
	Unsynced    bool          // do not sync the disk, in tests
	Checkpoint  int           // pages of log before it is folded back; 0: 10,000, which is 80 MB
}

// withDefaults returns o with every field set that has a default.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = defaultBusyTimeout
	}
	if o.Checkpoint == 0 {
		o.Checkpoint = autoCheckpoint
	}
	if o.Accept == nil {
		o.Accept = func(context.Context, bun.IDB, int) error { return nil }
	}
	if o.Current == nil {
		o.Current = func(context.Context, bun.IDB) (bool, error) { return true, nil }
	}
	if o.Ready == nil {
		o.Ready = func(context.Context, *DB) error { return nil }
	}
	return o
}

// Logger returns where warnings go.
func (d *DB) Logger() *slog.Logger { return d.opts.Logger }

// Now returns the time of the wall clock.
func (d *DB) Now() time.Time { return d.opts.Now() }

// Micros is how a moment is stored: microseconds since 1970 UTC.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time is the inverse of Micros; 0 is no time.
func Time(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

const secondsOfDay = 24 * 60 * 60

// Day counts the days since 1970, in UTC.
func Day(t time.Time) int64 { return int64(math.Floor(float64(t.Unix()) / secondsOfDay)) }

// Date is the inverse of Day.
func Date(day int64) time.Time { return time.Unix(day*secondsOfDay, 0).UTC() }

// IsServer reports whether the store is on a server, and not in a file.
func (d *DB) IsServer() bool { return d.pg != nil }

// unopened is a database that is not open.
func unopened(path string, o Options) *DB { return &DB{Path: path, opts: o.withDefaults()} }

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// server is what a store on PostgreSQL has instead of a file.
type server struct {
	db      *DB
	address *postgres.Server
	lockKey int32 // of the store's advisory lock, beside lockClass
}

// lockClass marks advisory locks as ours ("PDPP"). The second number is the schema's, so
// that two stores of one database do not wait for each other.
const lockClass = applicationID

// Activity is what a database has done since it was opened, and what waits now.
type Activity struct {
	Queued       int           // operations that wait for the writer
	Transactions int64         // write transactions, committed or not
	LockWait     time.Duration // spent waiting for the write lock: another process had it
	Writing      time.Duration // spent holding it

	Readers, ReadersBusy int           // connections of the read pool: open, and in use
	ReaderWait           time.Duration // spent waiting for one of them
}

// note keeps whether the database took the last transaction. A refusal for another reason
// says nothing of that.
func (d *DB) note(err error) {
	switch code := abi.CodeOf(err); {
	case err == nil:
		d.refuses.Store(nil)
	case code == abi.CodeStoreFull, code == abi.CodeStoreUnavailable:
		d.refuses.Store(&code)
	}
}

// Refuses returns why the database did not take the last transaction of this process:
// storage.full or storage.unavailable. "": it did, or there was none.
func (d *DB) Refuses() abi.Code {
	if code := d.refuses.Load(); code != nil {
		return *code
	}
	return ""
}

// spent counts the writer's time.
type spent struct{ transactions, lockWait, writing atomic.Int64 }

// Activity returns what the database has done. It reads memory alone.
func (d *DB) Activity() Activity {
	s := Activity{}
	if w := d.writer; w != nil {
		w.mu.Lock()
		s.Queued = len(w.queue)
		w.mu.Unlock()
		s.Transactions, s.LockWait, s.Writing = w.spent.transactions.Load(), time.Duration(w.spent.lockWait.Load()), time.Duration(w.spent.writing.Load())
	}
	p := d.Read.Stats()
	s.Readers, s.ReadersBusy, s.ReaderWait = p.OpenConnections, p.InUse, p.WaitDuration
	return s
}
