package owner

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Connections returns up to limit connections by name, after that of after, each with its
// verdict, its last run, its schedule and the devices that feed it; of one connector alone where
// it is named. The page after it begins after next; "": there is none.
func (o *Owner) Connections(ctx context.Context, connector, after string, limit int) (page []Connection, next string, err error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, "", err
	}
	runtime, err := o.Runtime(ctx)
	if err != nil {
		return nil, "", err
	}
	evidence, err := store.EvidenceChosen(ctx, o.Now(), storage.Choice{Connector: connector}, after, limit+1)
	if err != nil {
		return nil, "", err
	}
	if len(evidence) > limit {
		evidence, next = evidence[:limit], evidence[limit-1].Name
	}
	ids, verdicts := make([]string, len(evidence)), map[string]view.Brief{}
	for i := range evidence {
		e := &evidence[i]
		v := o.Verdict(e, runtime)
		ids[i], verdicts[e.ConnectionID] = e.ConnectionID, view.BriefOf(&v)
	}
	all, err := store.ConnectionsOf(ctx, ids)
	if err != nil {
		return nil, "", err
	}
	latest, err := store.LatestRuns(ctx, ids)
	if err != nil {
		return nil, "", err
	}
	fed, err := FeedsByConnection(ctx, store)
	if err != nil {
		return nil, "", err
	}
	schedules, err := store.Schedules(ctx, ids)
	if err != nil {
		return nil, "", err
	}
	page = make([]Connection, len(all))
	for i := range all {
		id := all[i].ID
		page[i] = *connectionOf(&all[i])
		if page[i].Devices = FeedsOf(fed[id]); len(fed[id]) == 0 { // a device has a schedule of its own
			page[i].Schedule = chosenSchedule(schedules[id], &all[i])
		}
		if r, ran := latest[id]; ran {
			page[i].LastRun = RunOf(&r)
		}
		brief := verdicts[id]
		page[i].Verdict = &brief
	}
	return page, next, nil
}

// ConnectionNames returns the names of all connections.
func (o *Owner) ConnectionNames(ctx context.Context) ([]string, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.ConnectionKeys(ctx, storage.ConnectionKeys{})
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names, err
}
