package main

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// runtime is the state of what serves the connections (HL-28). At fault is a
// scheduler that is gone without having been stopped, or that does nothing; and where
// none serves, that what one has served before is missed (see missed).
func (a *app) runtime(ctx context.Context, store *storage.Store) (view.Runtime, error) {
	server, err := store.Serving(ctx)
	switch {
	case err != nil:
		return view.Runtime{}, err
	case server != nil && a.lives(server):
		return view.Runtime{OK: true}, nil
	case server != nil:
		return view.Runtime{Fault: "scheduler_stopped"}, nil
	}
	missed, err := a.missed(ctx, store)
	if err != nil || missed {
		return view.Runtime{Fault: "scheduler_absent"}, err
	}
	return view.Runtime{OK: true}, nil
}

// rendered is a connection's verdict now. Every command that shows a connection
// gets it here, and shows its fields (HL-21).
func (a *app) rendered(e *storage.Evidence, r view.Runtime) verdict.RenderedVerdict {
	e.DiskFull = a.diskFull
	v := verdict.OfStored(e.Facts, e.Moment(a.Now(), run.HolderAlive), r.OK)
	if v.Detail != nil && len(v.Detail.Violations) > 0 {
		a.Logger.Error("a verdict was withheld: it contradicts itself", "connection", e.Name, "violations", v.Detail.Violations)
	}
	return v
}

// briefs returns the verdicts of all connections by name, as a list shows them.
func (a *app) briefs(ctx context.Context, store *storage.Store) (map[string]view.Brief, error) {
	out := map[string]view.Brief{}
	err := a.eachBrief(ctx, store, func(e *storage.Evidence, b view.Brief) { out[e.Name] = b })
	return out, err
}

// eachBrief calls fn with each connection and its verdict, in the order of their names.
func (a *app) eachBrief(ctx context.Context, store *storage.Store, fn func(*storage.Evidence, view.Brief)) error {
	r, err := a.runtime(ctx, store)
	if err != nil {
		return err
	}
	for after := ""; ; {
		page, err := store.EvidencePage(ctx, after, statusPage)
		if err != nil {
			return err
		}
		for i := range page {
			v := a.rendered(&page[i], r)
			fn(&page[i], view.BriefOf(&v))
		}
		if len(page) < statusPage {
			return nil
		}
		after = page[len(page)-1].Name
	}
}

// runResult is the result of `run`, with how the connection is after it.
type runResult struct {
	*run.Result
	Verdict *verdict.RenderedVerdict `json:"verdict"` // null: it could not be read

	subject  subject
	rejected []storage.MissingRecords // as of its end, and of earlier runs
}

// afterRun reads how the connection is once its run has ended. The run has its
// outcome whether that can be read or not. typed is how its module was named.
func (a *app) afterRun(ctx context.Context, store *storage.Store, r *run.Result, typed string) runResult {
	out := runResult{Result: r, subject: subject{connection: r.Connection, connector: r.Connector}}
	if isPath(typed) {
		out.subject.module = typed
	}
	ctx = context.WithoutCancel(ctx)
	e, err := store.EvidenceOf(ctx, r.ConnectionID)
	runtime, serving := a.runtime(ctx, store)
	if err = errors.Join(err, serving); err != nil {
		a.Logger.Warn("the connection's health cannot be read", "code", abi.CodeOf(err))
		return out
	}
	v := a.rendered(e, runtime)
	v.Detail = nil // `status --detail` has it
	out.Verdict, out.rejected = &v, e.MissingRecords()
	return out
}
