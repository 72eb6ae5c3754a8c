package connection

import (
	"github.com/pdpp-host/pdpp-host/storage/credential"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Store keeps connections, and when each of them runs. All methods are safe for concurrent use.
type Store struct {
	db          *db.DB
	credentials *credential.Store
}

// New returns the room over an open database.
func New(d *db.DB, credentials *credential.Store) *Store { return &Store{d, credentials} }
