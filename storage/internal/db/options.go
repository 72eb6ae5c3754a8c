package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/uptrace/bun"
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

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
