package owner

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// evidencePage is how many connections are read at a time.
const evidencePage = 50

// attended reports whether the owner is at a page that a run has handed over.
func (o *Owner) attended(r *stored.Run) bool {
	return r != nil && o.Handoffs != nil && slices.ContainsFunc(o.Handoffs.List(), func(h handoff.Shown) bool { return h.RunID == r.ID && h.Watched })
}

// Verdict returns a connection's verdict now. Every face that shows a connection gets
// it here, and shows its fields (HL-21).
func (o *Owner) Verdict(e *storage.Evidence, r view.Runtime) verdict.RenderedVerdict {
	e.DiskFull = o.DiskFull
	m := e.Moment(o.Now(), holder.Alive)
	m.Attended = o.attended(e.Facts.Latest)
	v := verdict.OfStored(e.Facts, m, r.OK)
	if v.Detail != nil && len(v.Detail.Violations) > 0 {
		o.Logger.Error("a verdict was withheld: it contradicts itself", "connection", e.Name, "violations", v.Detail.Violations)
	}
	return v
}

// EachBrief calls fn with each connection and its verdict, in the order of their names.
func (o *Owner) EachBrief(ctx context.Context, fn func(*storage.Evidence, view.Brief)) error {
	return o.each(ctx, func(e *storage.Evidence, r view.Runtime) {
		v := o.Verdict(e, r)
		fn(e, view.BriefOf(&v))
	})
}

// each calls fn with each connection, in the order of their names.
func (o *Owner) each(ctx context.Context, fn func(*storage.Evidence, view.Runtime)) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	r, err := o.Runtime(ctx)
	if err != nil {
		return err
	}
	for after := ""; ; {
		page, err := store.EvidencePage(ctx, after, evidencePage)
		if err != nil {
			return err
		}
		for i := range page {
			fn(&page[i], r)
		}
		if len(page) < evidencePage {
			return nil
		}
		after = page[len(page)-1].Name
	}
}

// Told is a connection as its readers are told of it (RD-30).
type Told struct {
	ID, Name, Connector string
	Verdict             func() verdict.RenderedVerdict // the whole one, which few need
	Fresh               func(stream string) stored.Fresh
}

// Tell returns how some connections are; nil: each, by name. One that is not there is left out.
// Only those are looked at, so that no time tells of another (Invariant 9).
func (o *Owner) Tell(ctx context.Context, ids []string) (all []Told, err error) {
	add := func(e *storage.Evidence, r view.Runtime) {
		m := stored.Moment{Now: health.At(o.Now().UTC())}
		all = append(all, Told{
			e.ConnectionID, e.Name, e.Connector, func() verdict.RenderedVerdict { return o.Verdict(e, r) },
			func(stream string) stored.Fresh { return e.Facts.FreshnessOf(stream, m) },
		})
	}
	if ids == nil {
		err = o.each(ctx, add)
		return all, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	r, err := o.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	found, err := store.EvidenceOfEach(ctx, ids)
	if err != nil {
		return nil, err
	}
	by := make(map[string]*storage.Evidence, len(found))
	for i := range found {
		by[found[i].ConnectionID] = &found[i]
	}
	for _, id := range ids {
		if e := by[id]; e != nil {
			add(e, r)
		}
	}
	return all, nil
}
