package evidence

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Gatherer reads facts: within a transaction that writes, or in a snapshot.
type Gatherer struct {
	db  bun.IDB
	ctx context.Context
}

// NewGatherer returns one that reads with q.
func NewGatherer(ctx context.Context, q bun.IDB) Gatherer { return Gatherer{q, ctx} }

// GatherIn returns one that reads within a transaction.
func GatherIn(t *db.Tx) Gatherer { return Gatherer{t.DB, t.Ctx} }
