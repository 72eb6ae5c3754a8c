package running

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// operation is the name of a run by hand in audit events.
const operation = "runs.start"

// Request asks for a run. Of run.Request, Module, ModulePath, MaxWall, Accept and
// Allowed are filled in here.
type Request struct {
	run.Request

	Typed       string        // a connector, a path to a module, or a connection
	Path        string        // the absolute path, where Typed is one
	Consent     owner.Consent // asked for a module that nobody has accepted; nil: nobody is
	Attended    bool          // somebody can be asked what the connector asks
	MaxRequests int64         // 0: as configured
	RecordTo    string        // the new file of a recording; "": none is made

	// Watch is told of the run that is about to begin; nil: nobody watches.
	Watch func(*run.Request) Watch
}

// Watch follows one run.
type Watch struct {
	Asker    run.Asker // nil: nobody can be asked
	Observe  func(run.Update)
	Began    func(run.Began) // see run.Deps.Began
	Stopping <-chan struct{} // see run.Deps.Stopping
	End      func()          // called once the guest has ended; nil: nothing is to be done then
}

// Ended is a run that has ended, and how its connection is after it.
type Ended struct {
	*run.Result

	Verdict  *verdict.RenderedVerdict // nil: it could not be read
	Rejected []owner.MissingRecords   // as of its end, and of earlier runs

	// CoolsUntil is until when the connection cools down; zero: it does not. CoolsDown
	// says so, where the hint of the result's error does not.
	CoolsUntil time.Time
	CoolsDown  string

	Recording *Recording // nil: none was asked for
}

// Run runs what was asked for, to its end. A failed run is a result; the error reports a run
// that was refused before it began, or an outcome that could not be kept.
func Run(ctx context.Context, o *owner.Owner, r Request) (*Ended, error) {
	if err := o.RefuseRuns(); err != nil {
		turnAway(ctx, o, &r, err)
		return nil, err
	}
	o.KeepReserve()
	r.Typed = abi.KeyNamed(r.Typed)
	m, err := o.OpenTyped(ctx, r.Typed, r.Path, r.Connection)
	if err != nil {
		return nil, refusedUnopened(ctx, o, m, &r, err)
	}
	rec, err := record(o, &r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rec.close() }() // it is told of where the run is
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	var ended *Ended
	err = o.Engine(func(engine *plugin.Engine) error {
		result, err := runTyped(ctx, o, store, engine, &m, r, rec)
		broken := rec.close()
		if err != nil {
			return refused(ctx, o, store, m, &r, err)
		}
		ended = &Ended{Result: result, Recording: rec.summary(broken)}
		sweep(o)
		ended.coolDown(ctx, o, store) // before its health is read
		ended.readHealth(ctx, o, store)
		return nil
	})
	return ended, err
}

// sweep removes what was captured of pages too long ago.
func sweep(o *owner.Owner) {
	if o.Browser == nil {
		return
	}
	if err := o.Browser.SweepCaptures(); err != nil {
		o.Logger.Warn("old captures of pages cannot be removed", "code", abi.CodeOf(err))
	}
}

// runTyped runs the module that was typed, when it is one that may run here.
func runTyped(ctx context.Context, o *owner.Owner, store *storage.Store, engine *plugin.Engine, m *owner.TypedModule, r Request, rec *recording) (*run.Result, error) {
	if err := o.Settle(ctx, store, m); err != nil {
		return nil, err
	}
	if rec != nil {
		rec.module = m.Path
	}
	if err := owner.RightlyNamed(ctx, store, engine, m); err != nil {
		return nil, err
	}
	if err := refuseFed(ctx, store, engine, m); err != nil {
		return nil, err
	}
	r.Module, r.Connection, r.ModulePath = m.File, m.Connection, m.Path
	if err := askFirst(ctx, o, store, engine, &r); err != nil {
		return nil, err
	}
	return collect(ctx, o, store, engine, &r, rec)
}

// collect runs the module, with its ports.
func collect(ctx context.Context, o *owner.Owner, store *storage.Store, engine *plugin.Engine, r *Request, rec *recording) (*run.Result, error) {
	limit := o.Config.RunTime()
	if r.Timeout > 0 {
		limit = min(limit, r.Timeout)
	}
	r.MaxWall = AskingTime(limit)
	deps := byHand(o, store, engine, r.MaxRequests)
	if r.Watch != nil {
		w := r.Watch(&r.Request)
		deps.Asker, deps.Observe, deps.Began, deps.Stopping = w.Asker, w.Observe, w.Began, w.Stopping
		if w.End != nil {
			defer w.End()
		}
	}
	rec.attach(&deps)
	return run.New(deps).Run(ctx, r.Request)
}

// refuseFed refuses a run of a connection that a device feeds.
func refuseFed(ctx context.Context, store *storage.Store, engine *plugin.Engine, m *owner.TypedModule) error {
	all, err := store.SourceInstances(ctx, "")
	if err != nil || len(all) == 0 {
		return err // and no module is loaded for it
	}
	connection := m.Connection
	if connection == "" { // the connection is called as the connector is
		d, err := modules.Describe(ctx, engine, m.File)
		if err != nil {
			return nil //nolint:nilerr // the run itself says what is wrong with its module
		}
		connection = d.Manifest.ConnectorKey
	}
	return owner.NotOnDevice(ctx, store, connection)
}

// readHealth reads how the connection is. The run has its outcome whether that can be
// read or not.
func (r *Ended) readHealth(ctx context.Context, o *owner.Owner, store *storage.Store) {
	ctx = context.WithoutCancel(ctx)
	e, err := store.EvidenceOf(ctx, r.ConnectionID)
	if err == nil {
		var runtime view.Runtime
		if runtime, err = o.Runtime(ctx); err == nil {
			v := o.Verdict(e, runtime)
			v.Detail = nil // `status --detail` has it
			r.Verdict, r.Rejected = &v, e.MissingRecords()
			return
		}
	}
	o.Logger.Warn("the connection's health cannot be read", "code", abi.CodeOf(err))
}
