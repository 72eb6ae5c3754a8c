package run

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How a run holds its connection, and how long a guest may take to return
// once it has said DONE (RT-09.2).
const (
	leaseTTL       = 30 * time.Second
	heartbeatEvery = 5 * time.Second
	returnWithin   = time.Second // the engine's grace comes on top: 3 s in all
)

// ErrInterrupted is the cause to cancel Run's context with when the owner
// stops a run.
var ErrInterrupted error = abi.NewError(abi.CodeInterrupted, "the run was interrupted",
	"run it again: it goes on from the last checkpoint")

// errReturn is why a guest that said DONE and did not return is ended.
var errReturn = errors.New("the guest did not return after DONE")

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
	writer, err := r.deps.Store.BeginRun(r.witness(ctx, ChangeBegins, p), storage.NewRun{
		RunID: runID, ConnectionID: p.connection.ID, Connector: p.manifest.ConnectorKey, Version: p.manifest.Version,
		ModuleSHA256: req.Module.SHA256, Mode: p.mode, Bookmark: bookmark(p.mode), Holder: r.deps.Holder,
		Streams: streamNames(p.scope), ByKey: ledger.ByKey(p.manifest), LeaseTTL: leaseTTL, HolderAlive: r.deps.HolderAlive,
	})
	if err != nil {
		return nil, err
	}
	if p.secrets != nil {
		p.secrets.BindRun(writer)
	}
	if err := r.rememberSources(ctx, p); err != nil {
		writer.Abandon()
		return nil, err
	}
	if req.AcceptRoot { // what was enumerated belongs to the source before
		if err := writer.ForgetEnumerations(ctx); err != nil {
			writer.Abandon()
			return nil, err
		}
	}
	live, err := newRun(ctx, &r.deps, p, writer, runID)
	if err != nil {
		writer.Abandon()
		return nil, err
	}
	if r.deps.Began != nil {
		r.deps.Began(Began{
			RunID: runID, ConnectionID: p.connection.ID, Connection: p.connection.Name, Connector: p.manifest.ConnectorKey,
			Version: p.manifest.Version, Mode: p.mode, Streams: streamNames(p.scope), At: begin,
		})
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if req.Timeout > 0 {
		var cancel func()
		ctx, cancel = p.rest.within(ctx, req.Timeout, abi.NewError(abi.CodeLimitTime,
			fmt.Sprintf("the run took longer than %s", req.Timeout), "raise --timeout, or collect fewer streams at a time"))
		defer cancel()
	}
	exit, cause := live.collect(ctx, stop)
	return live.finish(ctx, begin, exit, cause)
}

// collect runs the guest. Beside it go the lease's heartbeat, the bound on returning
// after DONE, the progress display, and the writes by time; all have ended when
// collect returns. cause is why the host ended the run early, nil when it did not.
func (r *run) collect(ctx context.Context, stop context.CancelCauseFunc) (exit plugin.Exit, cause error) {
	r.ctx, r.stop = ctx, stop
	watched, unwatch := context.WithCancel(ctx)
	// Apart from each other: neither a slow disk nor a display that blocks may
	// delay the end of a guest, or let the lease run out.
	var watching sync.WaitGroup
	watching.Go(func() { r.holdLease(watched) })
	watching.Go(func() { boundReturn(watched, r.doneSeen, stop) })
	watching.Go(func() { r.show(watched) })
	watching.Go(func() { r.intake.writeByTime(watched) })
	watching.Go(func() { r.endAsleep(watched) })
	if b := r.plan.browsing; b != nil {
		b.Watch(
			func(why error, again bool) { stop(&stalled{r.plan.manifest.ConnectorKey, why, again}) },
			func(event string, data map[string]any) { _ = r.event(event, "", data) }, // a run that cannot write ends by itself
		)
		b.Lease(r.leased)
		b.Submits(r.writer.KeepSubmitted)
	}
	grant := r.plan.granted.grant
	grant.Rested = r.plan.rest.rested
	exit = r.deps.Collect(ctx, r.plan.guest, grant, r)
	r.plan.endBrowser() // while the lease is held: nobody else starts one on its profile
	r.refused()
	_ = r.accounts.tell() // a run that cannot write ends by itself
	unwatch()
	watching.Wait()
	cause = context.Cause(ctx)
	stop(nil)
	r.questions.asks.Wait()
	r.network.senders.Wait()
	return exit, cause
}

// refused tells of the hosts that pages did not get to, so that the connector's author sees what
// a site wants (BR-08.1).
func (r *run) refused() {
	if r.plan.browsing == nil {
		return
	}
	if names, others := r.plan.browsing.Refused(); len(names) > 0 {
		_ = r.event("run.progress_reported", "", map[string]any{"message": "hosts that the browser did not get to", "refused": names, "others": others})
	}
}

// stalled is the end of a run whose signing in made no progress.
type stalled struct {
	connector string
	why       error
	again     bool // another run may do better
}

func (s *stalled) Error() string { return s.why.Error() }

func (s *stalled) Unwrap() error { return s.why }

// failure is how the run ends: with a code of the connector's (RT-15).
func (s *stalled) failure() *Failure {
	f := failure(s.why, s.again)
	f.Code = abi.CanonicalKey(s.connector) + "_session_establish_timeout"
	return f
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

// holdLease renews the lease until ctx ends, and stops a run that has lost its lease.
func (r *run) holdLease(ctx context.Context) {
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			// The writer keeps its first failure, so trying again is no use.
			if err := r.writer.Heartbeat(ctx); err != nil && ctx.Err() == nil {
				r.stop(err)
				return
			}
		}
	}
}

// NewID returns the id of a run: SortedID of "run_".
func NewID(now time.Time, rand io.Reader) string { return SortedID("run_", now, rand) }

// SortedID returns prefix and 26 lower-case letters and digits: 48 bits of now in
// milliseconds, so that ids sort by time, and 80 bits of rand. An error of
// rand leaves the time alone to tell ids apart, which the store then refuses
// when it repeats.
func SortedID(prefix string, now time.Time, rand io.Reader) string {
	var b [16]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	_, _ = io.ReadFull(rand, b[6:])
	enc := base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	return prefix + strings.ToLower(enc.EncodeToString(b[:]))
}
