package owner

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Connections returns all connections by name, each with its verdict, its last run and
// the devices that feed it.
func (o *Owner) Connections(ctx context.Context) ([]Connection, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	briefs := map[string]view.Brief{}
	if err := o.EachBrief(ctx, func(e *storage.Evidence, b view.Brief) { briefs[e.Name] = b }); err != nil {
		return nil, err
	}
	latest, err := store.LatestRuns(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := FeedsByConnection(ctx, store)
	if err != nil {
		return nil, err
	}
	out := make([]Connection, len(all))
	for i := range all {
		out[i] = *connectionOf(&all[i])
		out[i].Devices = FeedsOf(fed[all[i].ID])
		if r, ran := latest[all[i].ID]; ran {
			out[i].LastRun = RunOf(&r)
		}
		if b, ok := briefs[all[i].Name]; ok {
			out[i].Verdict = &b
		}
	}
	return out, nil
}

// ConnectionNames returns the names of all connections.
func (o *Owner) ConnectionNames(ctx context.Context) ([]string, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.Connections(ctx)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names, err
}
