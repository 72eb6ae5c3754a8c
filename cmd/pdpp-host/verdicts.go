package main

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// runResult is the result of `run`, with how the connection is after it.
type runResult struct {
	*run.Result
	Verdict *verdict.RenderedVerdict `json:"verdict"` // null: it could not be read

	subject  show.Subject
	rejected []storage.MissingRecords // as of its end, and of earlier runs
}

// afterRun reads how the connection is once its run has ended. The run has its
// outcome whether that can be read or not. typed is how its module was named.
func (a *app) afterRun(ctx context.Context, store *storage.Store, r *run.Result, typed string) runResult {
	out := runResult{Result: r, subject: show.Subject{Connection: r.Connection, Connector: r.Connector}}
	if modules.IsPath(typed) {
		out.subject.Module = typed
	}
	ctx = context.WithoutCancel(ctx)
	e, err := store.EvidenceOf(ctx, r.ConnectionID)
	runtime, serving := a.owner.Runtime(ctx)
	if err = errors.Join(err, serving); err != nil {
		a.Logger.Warn("the connection's health cannot be read", "code", abi.CodeOf(err))
		return out
	}
	v := a.owner.Verdict(e, runtime)
	v.Detail = nil // `status --detail` has it
	out.Verdict, out.rejected = &v, e.MissingRecords()
	return out
}
