package read

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Store keeps the read state. All methods are safe for concurrent use.
type Store struct {
	db *db.DB
}

// New returns the room over an open database.
func New(d *db.DB) *Store { return &Store{d} }
