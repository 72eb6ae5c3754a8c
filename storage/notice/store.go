package notice

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// CodeChannelUnknown is the code of a channel that there is none of.
const CodeChannelUnknown abi.Code = "notifications.unknown"

// Store keeps notices. All methods are safe for concurrent use.
type Store struct {
	db *db.DB
}

// New returns the room over an open database.
func New(d *db.DB) *Store { return &Store{d} }
