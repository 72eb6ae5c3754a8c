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
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// scan runs the connector over the lane, and delivers alongside what it enqueues.
func (e *execution) scan(ctx context.Context, req RunRequest) error {
	e.note("scan", "scanning the source")
	deps := e.c.deps.Run
	deps.Store, deps.Now = e.store, e.c.deps.Now
	deps.Described = func(ctx context.Context, raw []byte) error { return e.described(ctx, req, raw) }
	deps.Accepted = func(stream string, key, data []byte, deleted bool) {
		e.budget.accept(key, data)
		e.stores.accept(stream, key, data, deleted)
	}
	deps.Budget = e.budget.unit
	scanned := make(chan struct{})
	var beside sync.WaitGroup
	var delivery error
	beside.Go(func() { delivery = e.d.alongside(ctx, scanned) })
	beside.Go(func() { e.watch(ctx, scanned) })
	res, err := run.New(deps).Run(ctx, run.Request{
		Module: req.Module, Streams: req.Streams, Mode: req.Mode, Roots: req.Roots, Options: req.Options,
		AcceptRoot: req.AcceptRoot, Timeout: req.Timeout, Force: req.Force,
	})
	close(scanned)
	beside.Wait()
	e.result.Run = res
	e.result.BudgetReached = res != nil && res.Reason == string(abi.ReasonPolicyBudget)
	return errors.Join(err, delivery)
}

// described holds the connector against what the lane was enrolled for, and sees
// to it that the host holds its records against the same manifest.
func (e *execution) described(ctx context.Context, req RunRequest, raw []byte) error {
	m, err := manifest.Parse(raw)
	if err != nil {
		return err
	}
	if id := e.lane.p.ConnectorID; ConnectorID(id) != ConnectorID(m.ConnectorKey) && !strings.EqualFold(id, m.ConnectorID) {
		return abi.NewError(abi.CodeConnectionInvalid, "the module is of connector "+m.ConnectorKey+", and this lane was enrolled for another",
			"run the connector that the lane is of, or enroll the device for this one").WithDetail(id)
	}
	if e.state != nil && e.state.ManifestSHA256 == sum256(bare(raw)) {
		return nil
	}
	e.note("manifest", "telling the host what the connector collects")
	return e.lane.putManifest(ctx, req.Module.SHA256, raw)
}

// pinned tells the host again what the lane runs: what waits was made under it.
func (e *execution) pinned(ctx context.Context) (put bool, err error) {
	connections, err := e.store.Connections(ctx)
	if err != nil {
		return false, err
	}
	for _, c := range connections {
		if c.PinnedSHA256 != "" && len(c.PinnedManifest) > 0 {
			err := e.lane.putManifest(ctx, c.PinnedSHA256, c.PinnedManifest)
			return err == nil, err
		}
	}
	return false, nil
}

// watch counts what waits, for the scan's bound, and tells the host now and then
// that the run lives, until the scan is over.
func (e *execution) watch(ctx context.Context, over <-chan struct{}) {
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
