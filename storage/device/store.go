package device

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// Store takes what devices deliver. All methods are safe for concurrent use.
type Store struct {
	db   *db.DB
	runs *run.Store
}

// New returns the room over an open database.
func New(d *db.DB, runs *run.Store) *Store { return &Store{d, runs} }
