package collector

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// scan runs the connector over the lane, and delivers alongside what it enqueues.
func (e *execution) scan(ctx context.Context, req RunRequest) error {
	since, err := e.boundary()
	if err != nil {
		return err
	}
	e.note("scan", "scanning the source")
	deps := e.c.deps.Run
	deps.Store, deps.Now = e.store.Store, e.c.deps.Now
	deps.Described = func(ctx context.Context, raw []byte) error { return e.described(ctx, req, raw) }
	deps.Accepted = func(stream string, key, data []byte, deleted bool) {
		e.budget.accept(key, data)
		e.stores.Accept(stream, key, data, deleted)
	}
	deps.Budget = e.budget.unit
	scanned := make(chan struct{})
	var beside sync.WaitGroup
	var delivery error
	beside.Go(func() { delivery = e.d.Alongside(ctx, scanned) })
	scan, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	beside.Go(func() { e.watch(ctx, scanned, stop) })
	request := run.Request{
		Module: req.Module, Streams: req.Streams, Mode: req.Mode, Roots: req.Roots, Options: req.Options,
		AcceptRoot: req.AcceptRoot, AcceptDeletions: req.AcceptDeletions, Timeout: req.Timeout, Force: req.Force,
	}
	if request.Since, request.Boundary = since, !since.IsZero(); request.Boundary {
		e.result.Since = since.Format(time.RFC3339)
	}
	res, err := run.New(deps).Run(scan, request)
	close(scanned)
	beside.Wait()
	e.result.Run = res
	err = e.here(ctx, req, err)
	e.result.BudgetReached = res != nil && res.Reason == string(abi.ReasonPolicyBudget)
	if e.result.BudgetReached && len(res.Checkpoints.Committed) == 0 {
		e.result.StartsOver = true
		res.KnownGaps = append(res.KnownGaps, run.KnownGap{ // as the lane keeps it
			Kind: string(abi.ReasonPolicyBudget), Reason: device.GapStartsOver, Severity: "recoverable", RecoveryHint: "retry_by_runtime", Count: 1,
			Message: "the next run begins where this one began; " + startsOverAdvice,
		})
	}
	return errors.Join(err, delivery)
}

// described holds the connector against this machine and against what the lane was
// enrolled for, takes over the cursors that it begins from, and sees to it that the
// host holds its records against the same manifest.
func (e *execution) described(ctx context.Context, req RunRequest, raw []byte) error {
	m, err := manifest.Parse(raw)
	if err != nil {
		return err
	}
	e.about = &described{m, raw}
	e.lane.Manifest = m
	if err := e.c.fits(m); err != nil {
		return err
	}
	if err := e.c.enrolledFor(m); err != nil {
		return err
	}
	if err := e.takeState(ctx); err != nil {
		return err
	}
	if err := e.c.rememberSources(ctx, e.store, m.ConnectorKey, req.Roots, req.Options); err != nil {
		return err
	}
	if e.state != nil && e.state.ManifestSHA256 == device.Sum256(client.TrimJSON(raw)) {
		return nil
	}
	e.note("manifest", "telling the host what the connector collects")
	err = e.lane.PutManifest(ctx, req.Module.SHA256, raw)
	if e.lane.PublicOnly = client.Unrouted(err); e.lane.PublicOnly {
		e.note("manifest", "the host takes no manifest: it holds what it has installed")
		return nil
	}
	return err
}

// pinned tells the host again what the lane runs: what waits was made under it.
func (e *execution) pinned(ctx context.Context) (put bool, err error) {
	conn, err := accepted(ctx, e.store)
	if err != nil || conn == nil {
		return false, err
	}
	err = e.lane.PutManifest(ctx, conn.PinnedSHA256, conn.PinnedManifest)
	return err == nil, err
}

// here says of a run that the owner has to accept something for what to do about it on
// this machine: the runner's own words are for a host.
func (e *execution) here(ctx context.Context, req RunRequest, err error) error {
	switch abi.CodeOf(err) {
	case abi.CodePluginNotAccepted:
		return e.c.NotAccepted().Wrap(err)
	case abi.CodeRootSecret:
		return e.c.Advised(err)
	case abi.CodePluginChanged:
	default:
		return err
	}
	conn, lookErr := accepted(ctx, e.store)
	changed, typed := errors.AsType[*abi.Error](err)
	if !typed || lookErr != nil || conn == nil || conn.PinnedSHA256 == req.Module.SHA256 {
		return err
	}
	return changed.WithHint("see what changed with: " + e.c.verifyCommand() + "   and accept it with --accept").Wrap(err)
}

// Advised is an error with advice for this machine: a refused folder with other
// programs' secrets names the command that accepts them for this lane.
func (c *Collector) Advised(err error) error {
	refused, typed := errors.AsType[*abi.Error](err)
	if !typed || refused.Code != abi.CodeRootSecret {
		return err
	}
	return refused.WithHint(strings.Replace(refused.Hint, "pdpp-host plugins accept CONNECTOR", c.acceptCommand(), 1)).Wrap(err)
}

// watch counts what waits, for the scan's bounds, and tells the host now and then
// that the run lives, until the scan is over.
func (e *execution) watch(ctx context.Context, over <-chan struct{}, stop context.CancelCauseFunc) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	beaten := e.c.deps.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case <-look.C:
		}
		counts := e.count(ctx)
		if counts == nil {
			continue
		}
		e.budget.waiting.Store(waiting(counts))
		if bytes, err := e.store.WaitingBytes(ctx); err == nil {
			if why := e.budget.full(bytes); why != nil {
				stop(why)
			}
		}
		if now := e.c.deps.Now(); now.Sub(beaten) >= e.c.policy.BeatEvery {
			beaten = now
			_ = e.c.beat(ctx, atWork(counts), counts, nil) // the next one says it again
		}
	}
}

// atWork is the status of a lane while it scans.
func atWork(c *storage.OutboxCounts) string {
	if c.Retrying > 0 || c.DeadLetter > 0 {
		return device.StatusRetrying
	}
	return device.StatusHealthy
}

// boundary is from when on the host wants what the source has; zero: from the
// beginning. A scope that this collector cannot keep to is refused: what its owner
// left out would be delivered.
func (e *execution) boundary() (since time.Time, err error) {
	scope, err := device.ScopeOf(e.state.State[device.ScopeKey])
	switch {
	case err != nil:
		return since, client.Unbelievable("its collection scope " + err.Error())
	case scope == nil:
		return since, nil
	case len(scope.SourceRoots) > 0:
		return since, abi.NewError(abi.CodeRootInvalid, "the device was enrolled for some folders of the source alone, and the connector cannot be held to them",
			"enroll it again for the whole source, or with a folder of its own: --root")
	}
	since, err = time.Parse(time.RFC3339, scope.Since)
	return since, err
}
