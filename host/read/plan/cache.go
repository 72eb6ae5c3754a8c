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

// Of returns the plan of a stream by the module that is accepted now. Of a stream that this one no
// longer declares it is as the newest grant of the source's was read, so that what was granted
// stays what it was (RD-34.5). Without an accepted module nothing is kept: the connection has the
// manifest of the one that was revoked last.
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
	p, declared := of(manifest, s.Name)
	if !declared {
		granted, err := c.granted(ctx, p)
		if granted == nil || err != nil {
			return p, err // not kept: a grant may come
		}
		p = granted
	}
	if s.Module == "" {
		return p, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.plans) >= mostCached {
		clear(c.plans)
	}
	c.plans[at] = p
	return p, nil
}

// granted returns the plan of a stream by the newest manifest that a grant of its source was read by
// and that declares it; nil: there is none.
func (c *Cache) granted(ctx context.Context, undeclared *Plan) (*Plan, error) {
	if undeclared.Source.ID == "" {
		return nil, nil
	}
	manifests, err := c.store.GrantedManifests(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range manifests {
		if p, declared := of(one, undeclared.Name); declared && p.Source.ID == undeclared.Source.ID {
			return p, nil
		}
	}
	return nil, nil
}
