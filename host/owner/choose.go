package owner

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Choice says which connections of a fleet are meant.
type Choice = storage.Choice

// RunDay is how many runs of a connection that began on one day came out one way.
type RunDay = storage.RunDay

// FleetChosen is Fleet for a page of some of the connections. It counts all of them.
func (o *Owner) FleetChosen(ctx context.Context, c Choice, after string, limit int) (*Fleet, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	f := &Fleet{Connections: []ConnectionStatus{}}
	if f.Runtime, err = o.Runtime(ctx); err != nil {
		return nil, err
	}
	if f.Fleet, err = store.Fleet(ctx, o.Now(), holder.Alive, f.Runtime.OK); err != nil {
		return nil, err
	}
	look, err := o.looks(ctx, store, f.Runtime)
	if err != nil {
		return nil, err
	}
	for len(f.Connections) <= limit { // one more tells whether the page goes on
		page, err := store.EvidenceChosen(ctx, o.Now(), c, after, limit+1)
		if err != nil {
			return nil, err
		}
		for i := range page {
			after = page[i].Name
			if s := look(&page[i]); (c.Tone == "" || s.Verdict.Pill.Tone == c.Tone) && len(f.Connections) <= limit {
				f.Connections = append(f.Connections, s)
			}
		}
		if len(page) <= limit {
			break
		}
	}
	if len(f.Connections) > limit {
		f.Connections = f.Connections[:limit]
		f.Next = f.Connections[limit-1].Name
	}
	return f, nil
}

// NeedsOwner returns up to limit connections that interrupt their owner, the most urgent
// first. A fault of the runtime interrupts in their place (HL-28).
func (o *Owner) NeedsOwner(ctx context.Context, limit int) ([]ConnectionStatus, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	runtime, err := o.Runtime(ctx)
	if err != nil || !runtime.OK {
		return nil, err
	}
	found, err := store.EvidenceNeeding(ctx, o.Now(), limit)
	if err != nil {
		return nil, err
	}
	look, err := o.looks(ctx, store, runtime)
	if err != nil {
		return nil, err
	}
	var needing []ConnectionStatus
	for i := range found {
		if s := look(&found[i]); s.Verdict.Channel == verdict.Attention {
			needing = append(needing, s)
		}
	}
	slices.SortStableFunc(needing, func(a, b ConnectionStatus) int { return view.MoreUrgent(&a.Verdict, &b.Verdict) })
	return needing[:min(limit, len(needing))], nil
}

// looks returns what makes the status of one of many connections from its evidence.
func (o *Owner) looks(ctx context.Context, store *storage.Store, r view.Runtime) (func(*storage.Evidence) ConnectionStatus, error) {
	fed, err := FeedsByConnection(ctx, store)
	return func(e *storage.Evidence) ConnectionStatus {
		v := o.Verdict(e, r)
		c := ConnectionStatus{
			Item: view.Item{Name: e.Name, Connector: e.Connector, Verdict: view.BriefOf(&v)}, Outbox: view.OutboxCueOf(e.Name, &v),
			ID: e.ConnectionID, Feeds: FeedsOf(fed[e.ConnectionID]), Unaccepted: !e.Accepted(), Rejected: len(e.MissingRecords()) > 0,
		}
		c.ModuleMissing = len(c.Feeds) == 0 && o.missesModule(ctx, store, e, &c.Verdict)
		return c
	}, err
}

// StatusOf is how one connection is, as a row of many.
func (o *Owner) StatusOf(ctx context.Context, name string) (*ConnectionStatus, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	e, err := store.EvidenceOf(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	runtime, err := o.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	look, err := o.looks(ctx, store, runtime)
	if err != nil {
		return nil, err
	}
	s := look(e)
	return &s, nil
}

// RunDays counts the runs of some connections, by their ids, day by day since a moment.
func (o *Owner) RunDays(ctx context.Context, ids []string, since time.Time) ([]RunDay, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return store.RunDays(ctx, ids, since)
}

// ByItself is the change of a schedule to an interval of the owner's.
func ByItself(every time.Duration) ScheduleChange {
	mode := schedule.Automatic
	return ScheduleChange{Mode: &mode, Every: every}
}

// ByHand is the change of a schedule to none.
func ByHand() ScheduleChange {
	mode := schedule.ByHand
	return ScheduleChange{Mode: &mode}
}

// AsRecommended is the change of a schedule to that of the connector.
func AsRecommended() ScheduleChange {
	mode := schedule.AsRecommended
	return ScheduleChange{Mode: &mode}
}
