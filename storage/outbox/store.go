package outbox

import "github.com/pdpp-host/pdpp-host/storage/internal/db"

// Store is the queue of a collector's outbox. All methods are safe for concurrent use.
type Store struct {
	db   *db.DB
	lane *Lane // nil: the file is a host's own store
	path string
}

// New returns the room over the file at path, which is opened with its Accept.
func New(lane *Lane, path string) *Store { return &Store{lane: lane, path: path} }

// Attach puts the room over the open database.
func (s *Store) Attach(d *db.DB) {
	s.db = d
	if s.lane != nil {
		s.lane.path = d.Path
	}
}
