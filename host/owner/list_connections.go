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

// ConnectionsAfter returns up to limit connections by name, after that of after, each as
// Connections has it. more says that there are others behind them.
func (o *Owner) ConnectionsAfter(ctx context.Context, after string, limit int) (page []Connection, more bool, err error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, false, err
	}
	runtime, err := o.Runtime(ctx)
	if err != nil {
		return nil, false, err
	}
	all, err := store.EvidencePage(ctx, after, limit+1)
	if err != nil {
		return nil, false, err
	}
	if more = len(all) > limit; more {
		all = all[:limit]
	}
	for i := range all {
		c, err := o.listed(ctx, store, &all[i], runtime)
		if err != nil {
			return nil, false, err
		}
		page = append(page, *c)
	}
	return page, more, nil
}

// listed is a connection as a list shows it.
func (o *Owner) listed(ctx context.Context, store *storage.Store, e *storage.Evidence, runtime view.Runtime) (*Connection, error) {
	conn, err := store.Connection(ctx, e.ConnectionID)
	if conn == nil { // one that is unreadable is shown all the same
		return nil, err
	}
	c := connectionOf(conn)
	fed, err := store.SourceInstances(ctx, e.ConnectionID)
	if err != nil {
		return nil, err
	}
	c.Devices = FeedsOf(fed)
	newest, err := store.Runs(ctx, conn.Name, 1)
	if err != nil {
		return nil, err
	}
	if len(newest) > 0 {
		c.LastRun = RunOf(&newest[0])
	}
	v := o.Verdict(e, runtime)
	b := view.BriefOf(&v)
	c.Verdict = &b
	return c, nil
}
