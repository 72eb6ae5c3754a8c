package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How a run holds its connection, and how long a guest may take to return
// once it has said DONE (RT-09.2).
const (
	leaseTTL       = 30 * time.Second
	heartbeatEvery = 5 * time.Second
	returnWithin   = time.Second // the engine's grace comes on top: 3 s in all
	observeEvery   = 200 * time.Millisecond
)

// ErrInterrupted is the cause to cancel Run's context with when the owner
// stops a run.
var ErrInterrupted error = abi.NewError(abi.CodeInterrupted, "the run was interrupted",
	"run it again: it goes on from the last checkpoint")

// Runner makes runs. It is safe for concurrent use; each connection runs one
// at a time.
type Runner struct{ deps Deps }

// New returns a Runner over deps.
func New(deps Deps) *Runner {
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Observe == nil {
		deps.Observe = func(Update) {}
	}
	if deps.Collect == nil {
		deps.Collect = func(ctx context.Context, g *plugin.Guest, grant plugin.Grant, h plugin.Host) plugin.Exit {
			return g.Collect(ctx, grant, h)
		}
	}
	return &Runner{deps: deps}
}

// Run makes one run, to its end. It returns an error when the run was refused
// before it began (nothing was written but perhaps the connection's name), or
// when its outcome could not be stored; a run that failed is a Result.
// Cancelling ctx asks the guest to stop, then kills it; the cause should be
// ErrInterrupted when the owner asked for it.
func (r *Runner) Run(ctx context.Context, req Request) (*Result, error) {
	begin := r.deps.Now()
	p, err := r.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	defer p.close()

	runID := r.deps.NewID()
	writer, err := r.deps.Store.BeginRun(ctx, storage.NewRun{
		RunID: runID, ConnectionID: p.connection.ID, Connector: p.manifest.ConnectorKey, Version: p.manifest.Version,
		ModuleSHA256: req.Module.SHA256, Mode: p.mode, Bookmark: bookmark(p.mode), Holder: r.deps.Holder,
		Streams: streamNames(p.scope), ByKey: byKey(p.manifest), LeaseTTL: leaseTTL, HolderAlive: r.deps.HolderAlive,
	})
	if err != nil {
		return nil, err
	}
	if p.secrets != nil {
		p.secrets.BindRun(writer)
	}
	var c *collection
	if err = r.keep(ctx, req, p); err == nil {
		c, err = r.newCollection(ctx, p, writer, runID)
	}
	if err != nil {
		writer.Abandon()
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, abi.NewError(abi.CodeLimitTime,
			fmt.Sprintf("the run took longer than %s", req.Timeout), "raise --timeout, or collect fewer streams at a time"))
		defer cancel()
	}
	c.ctx, c.stop = ctx, stop
	p.notice.to(c)
	exit, cause := r.collect(ctx, stop, p, c)
	return r.finish(ctx, cause, begin, req, p, c, exit)
}

// prepared is a run that may begin.
type prepared struct {
	guest      *plugin.Guest
	manifest   *abi.Manifest
	gate       *boundary.Gate
	connection *storage.Connection
	against    map[string]string // what the run was held against, see heldTo
	first      bool              // no run of the connection has begun before
	granted    *granted
	scope      abi.Scope
	narrowed   bool
	mode       string
	options    map[string]string
	details    *abi.DetailLimits
	force      bool
	secrets    Secrets
	sending    Sending
	notice     *notice
}

func (p *prepared) close() {
	if p.sending != nil {
		p.sending.Close()
	}
	_ = p.guest.Close()
}

// prepare checks everything that can be checked before a run exists: the
// module, its manifest, its pin, the bindings, the scope.
func (r *Runner) prepare(ctx context.Context, req Request) (*prepared, error) {
	guest, err := r.deps.Engine.Load(ctx, req.Module, r.pinnedRoots(ctx, req)...)
	if err != nil {
		return nil, err
	}
	p := &prepared{guest: guest, mode: req.Mode, force: req.Force}
	if p.mode == "" {
		p.mode = abi.ModeIncremental
	}
	if err := r.check(ctx, req, p); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (r *Runner) check(ctx context.Context, req Request, p *prepared) error {
	raw, err := p.guest.Describe(ctx)
	if err != nil {
		return err
	}
	if p.manifest, err = manifest.Parse(raw); err != nil {
		return err
	}
	if err = plugin.CheckImports(p.guest.Info(), p.manifest); err != nil {
		return err
	}
	if p.scope, p.narrowed, err = resolveScope(p.manifest, req); err != nil {
		return err
	}
	if p.gate, err = boundary.New(p.manifest, p.scope); err != nil {
		return err
	}
	return r.connect(ctx, req, p, raw)
}

// connect finds or makes the connection, holds the module against its pin, and
// matches bindings with what the connection has granted before.
func (r *Runner) connect(ctx context.Context, req Request, p *prepared, raw []byte) error {
	name := req.Connection
	if name == "" {
		name = p.manifest.ConnectorKey
	}
	roots, options := req.Roots, req.Options
	conn, err := r.deps.Store.Connection(ctx, name)
	switch {
	case err == nil && !abi.SameConnector(conn.Connector, p.manifest.ConnectorKey):
		return abi.NewError(abi.CodeConnectionInvalid,
			fmt.Sprintf("connection %q belongs to connector %q, not to %q", name, conn.Connector, p.manifest.ConnectorKey),
			"name another one with --connection")
	case err == nil:
		roots, options = merged(conn.Roots, req.Roots), merged(conn.Options, req.Options)
	case abi.CodeOf(err) != abi.CodeConnectionUnknown:
		return err
	}
	allowed, err := r.accepted(ctx, req, p, conn, raw)
	if err != nil {
		return err
	}
	if conn != nil && r.deps.Admit != nil && !req.Force {
		if err := r.deps.Admit(ctx, name); err != nil {
			return err
		}
	}
	var kept map[string]string
	if conn != nil {
		kept = conn.Options
	}
	if err := checkOptions(p.manifest, name, kept, req.Options); err != nil {
		return err
	}
	if conn != nil {
		if options, err = keepOrigin(name, conn.ReadRoots, options, req.Options, req.AcceptRoot); err != nil {
			return err
		}
	}
	if p.first, err = r.neverRan(ctx, conn); err != nil {
		return err
	}
	p.against, p.options = heldTo(conn), manifest.WithDefaults(p.manifest, options)
	if r.deps.Details != nil {
		p.details = r.deps.Details(p.manifest.ConnectorKey)
	}
	if p.granted, err = r.matchBindings(p.manifest, roots, allowed); err != nil {
		return err
	}
	if conn != nil && !req.AcceptRoot {
		if err := sameRoots(name, conn.ReadRoots, p.granted.roots); err != nil {
			return err
		}
	}
	if p.connection, err = r.deps.Store.EnsureConnection(ctx, name, p.manifest.ConnectorKey); err != nil {
		return err
	}
	p.connection.Accepted = allowed
	if err := r.openSending(ctx, req, p); err != nil {
		if conn == nil { // refused, so that nothing is left of it
			err = errors.Join(err, r.deps.Store.RemoveConnection(ctx, name, r.deps.HolderAlive))
		}
		return err
	}
	if err := r.pin(ctx, req, p, raw); err != nil || r.deps.Described == nil {
		return err
	}
	return r.deps.Described(ctx, raw)
}

func short(sha string) string { return sha[:min(len(sha), 12)] }

func merged(base, over map[string]string) map[string]string {
	out := make(map[string]string, len(base)+len(over))
	maps.Copy(out, base)
	maps.Copy(out, over)
	return out
}

// bookmark keeps a back-fill's cursors apart from the incremental ones
// (PB-D10).
func bookmark(mode string) string {
	if mode == abi.ModeBackfill {
		return abi.ModeBackfill
	}
	return abi.ModeIncremental
}

func (r *Runner) newCollection(ctx context.Context, p *prepared, w *storage.RunWriter, runID string) (*collection, error) {
	c := &collection{
		deps: &r.deps, manifest: p.manifest, scope: p.scope, gate: p.gate, writer: w, runID: runID, sha256: p.guest.Info().SHA256,
		sending: p.sending, senders: make(chan func()), secrets: p.secrets, force: p.force,
		mayAsk: p.granted.start.Interactive != nil,
		ledger: newLedger(p.manifest, p.scope, p.narrowed), batch: w.NewBatch(), doneSeen: make(chan struct{}),
		staged: map[string]*stagedCursor{}, committed: map[string]bool{}, attempted: map[gapOf]bool{}, backlogs: map[gapOf]bool{},
		served: newServedGaps(), followed: make([]map[storage.KeyHash]int, len(p.scope.Streams)), written: map[string]storage.Destination{},
		rejected: make([]int64, len(p.scope.Streams)),
	}
	for _, stream := range w.RejectionsUnlisted() {
		c.ledger.accepted[stream] = map[string]bool{}
	}
	if was, known := p.against[OriginRoot]; known && was != p.options[OptionBaseURL] {
		c.moves = func(ctx context.Context) error { return r.moveFrom(ctx, was, p) }
	}
	gaps, err := c.leaseGaps(ctx)
	if err != nil {
		return nil, err
	}
	c.start, err = startMessage(abi.Start{
		RunID: runID, CollectionMode: p.mode, Scope: p.scope, Bindings: p.granted.start, Options: p.options,
		Credentials: r.held(p), DetailGaps: gaps, DetailLimits: p.details,
	}, w.State())
	return c, err
}

// errReturn is why a guest that said DONE and did not return is ended.
var errReturn = errors.New("the guest did not return after DONE")

// collect runs the guest. Beside it go the lease's heartbeat, the bound on returning
// after DONE, the progress display, and the writes by time; all have ended when it
// returns. cause is why the host ended the run early, nil when it did not.
func (r *Runner) collect(ctx context.Context, stop context.CancelCauseFunc, p *prepared, c *collection) (exit plugin.Exit, cause error) {
	watched, unwatch := context.WithCancel(ctx)
	// Apart from each other: neither a slow disk nor a display that blocks may
	// delay the end of a guest, or let the lease run out.
	var watching sync.WaitGroup
	watching.Go(func() { r.holdLease(watched, stop, c) })
	watching.Go(func() { boundReturn(watched, c.doneSeen, stop) })
	watching.Go(func() { r.show(watched, c) })
	watching.Go(func() { writeByTime(watched, stop, c) })
	exit = r.deps.Collect(ctx, p.guest, p.granted.grant, c)
	unwatch()
	watching.Wait()
	cause = context.Cause(ctx)
	stop(nil)
	c.asks.Wait()
	return exit, cause
}

// boundReturn stops a guest that has said DONE and does not return.
func boundReturn(ctx context.Context, doneSeen <-chan struct{}, stop context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
		return
	case <-doneSeen:
	}
	t := time.NewTimer(returnWithin)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
		stop(errReturn)
	}
}

// show reports progress until ctx ends.
func (r *Runner) show(ctx context.Context, c *collection) {
	begin := r.deps.Now()
	tick := time.NewTicker(observeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.deps.Observe(c.update(r.deps.Now().Sub(begin), false))
		}
	}
}

// holdLease renews the lease until ctx ends, and stops the run that has lost it.
func (r *Runner) holdLease(ctx context.Context, stop context.CancelCauseFunc, c *collection) {
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			// The writer keeps its first failure, so that there is nothing to try again.
			if err := c.writer.Heartbeat(ctx); err != nil && ctx.Err() == nil {
				stop(err)
				return
			}
		}
	}
}
