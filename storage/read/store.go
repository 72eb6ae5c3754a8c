package read

import (
	"sync"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Store keeps the read state. All methods are safe for concurrent use.
type Store struct {
	db   *db.DB
	keys sync.Map // of the server, as []byte, by name
}

// New returns the room over an open database.
func New(d *db.DB) *Store { return &Store{db: d} }
