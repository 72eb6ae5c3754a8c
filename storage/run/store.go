package run

import (
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Store begins runs and reads them. All methods are safe for concurrent use.
type Store struct {
	db      *db.DB
	sink    Sinks         // of what its runs collect
	history time.Duration // how long runs are kept that have ended; 0: for ever
}

// New returns the room over an open database.
func New(d *db.DB, sink Sinks, history time.Duration) *Store { return &Store{d, sink, history} }
