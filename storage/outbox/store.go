package outbox

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Store is the queue of a collector's outbox. All methods are safe for concurrent use.
type Store struct {
	*lane

	db *db.DB
}

// New returns the queue in the file at path, which is not open yet. Errors:
// storage.lane_mismatch when the lane names no source, storage.unavailable when path is an
// address.
func New(l Lane, path string) (*Store, error) {
	if db.OnServer(path) {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "a collector's queue is a file, and not a database on a server", "name a file with --queue")
	}
	settled, err := l.withDefaults(path)
	if err != nil {
		return nil, err
	}
	return &Store{lane: settled}, nil
}
