package plan

import (
	"context"
	"sync"

	"github.com/pdpp-host/pdpp-host/storage"
)

// mostCached bounds the plans of a Cache.
const mostCached = 4096

// Cache has the plans of a store's streams. It is safe for concurrent use.
type Cache struct {
	store *storage.Store

	mu    sync.Mutex
	plans map[cached]*Plan
}

// cached names a plan: the accepted module of a connection has one manifest.
type cached struct{ connection, module, stream string }

// NewCache returns an empty cache.
func NewCache(store *storage.Store) *Cache { return &Cache{store: store, plans: map[cached]*Plan{}} }

// Of returns the plan of a stream by the module that is accepted now.
func (c *Cache) Of(ctx context.Context, s *storage.ReadStream) (*Plan, error) {
	at := cached{s.ConnectionID, s.Module, s.Name}
	c.mu.Lock()
	p := c.plans[at]
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	manifest, err := c.store.PinnedManifest(ctx, s.ConnectionID)
	if err != nil {
		return nil, err
	}
	p = Of(manifest, s.Name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.plans) >= mostCached {
		clear(c.plans)
	}
	c.plans[at] = p
	return p, nil
}
