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
	plans map[cached]kept
}

// cached names a plan: the accepted module of a connection has one manifest.
type cached struct{ connection, module, stream string }

// kept is a plan. One that rests on grants holds for as long as no other grant is issued.
type kept struct {
	*Plan

	issued int64 // how many grants were; -1: the module declares the stream
}

// NewCache returns an empty cache.
func NewCache(store *storage.Store) *Cache { return &Cache{store: store, plans: map[cached]kept{}} }

// Of returns the plan of a stream by the module that is accepted now, which s.Module names from then
// on. Of a stream that this one no longer declares it is as the newest grant of the source's was read,
// so that what was granted stays what it was (RD-34.5). Without an accepted module nothing is kept:
// the connection has the manifest of the one that was revoked last.
func (c *Cache) Of(ctx context.Context, s *storage.ReadStream) (*Plan, error) {
	c.mu.Lock()
	k, found := c.plans[cached{s.ConnectionID, s.Module, s.Name}]
	c.mu.Unlock()
	if found && k.issued < 0 {
		return k.Plan, nil
	}
	issued, err := c.store.GrantsIssued(ctx)
	if err != nil || found && k.issued == issued {
		return k.Plan, err
	}
	manifest, module, err := c.store.PinnedManifest(ctx, s.ConnectionID)
	if err != nil {
		return nil, err
	}
	s.Module = module
	p, declared := of(manifest, s.Name)
	if declared {
		issued = -1
	} else if granted, err := c.granted(ctx, p); err != nil {
		return nil, err
	} else if granted != nil {
		p = granted
	}
	if module == "" {
		return p, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.plans) >= mostCached {
		clear(c.plans)
	}
	c.plans[cached{s.ConnectionID, module, s.Name}] = kept{p, issued}
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
