package collector

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/completeness"
	"github.com/pdpp-host/pdpp-host/host/collector/delivery"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// execution is one Run: recover, drain, scan, drain, prune, tell.
type execution struct {
	c      *Collector
	store  *storage.Outbox
	lane   *client.Lane
	d      *delivery.Deliverer
	state  *device.State
	budget *budget
	stores *completeness.Diagnostics
	about  *described // what the module says of itself; nil: it was not asked yet, or cannot be read
	module string     // its SHA-256
	result *RunResult
	end    ending
}

// ending is what the end of an execution depends on.
type ending struct {
	counts        *storage.OutboxCounts // after the prune; nil: it could not be counted
	stateRead     bool                  // the host's state could not be read
	commitPending bool                  // the end of the run is what the host would not take
	interrupted   bool
	budgetReached bool
	failed        bool
	unsaid        bool // it failed, and nothing else than a heartbeat can say so
	beaten        bool // the host takes not even a heartbeat of this device
}

// Run makes one execution: what waits is delivered first, then the source is
// scanned unless something is left (collector contract, section 3). It returns a result
// whenever the lane could be opened; the error beside it says why the execution
// ended early. An execution that the owner stopped is a result.
//
// A run that is refused before it begins keeps nothing back: what waits is
// delivered all the same, and the host learns of the run as of one that failed.
func (c *Collector) Run(ctx context.Context, req RunRequest) (*RunResult, error) {
	began := c.deps.Now()
	c.lane.PublicOnly = c.recall().Public
	store, err := c.open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c.remember(began, nil, err, nil)
		if abi.CodeOf(err) != abi.CodeStoreLocked { // then another process goes on with it
			_ = c.beat(ctx, device.StatusBlocked, nil, &device.LastError{Kind: device.ErrorStateRead}) // the error at hand says more
		}
		return nil, err
	}
	e := c.execution(store)
	err = e.make(ctx, req)
	closed := store.Close()
	lane := c.laneAfter(ctx)
	known := c.remember(began, e.result, err, lane)
	e.result.stay = stay(lane, &known)
	return e.result, errors.Join(err, closed)
}

// laneAfter reads the lane as a status does; nil where that cannot be.
func (c *Collector) laneAfter(ctx context.Context) *storage.LaneInfo {
	info, _, exists, err := c.look(context.WithoutCancel(ctx))
	if err != nil || !exists {
		c.deps.Logger.Debug("what is open was not read", "code", string(abi.CodeOf(err)))
		return nil
	}
	return &info
}

func (c *Collector) open(ctx context.Context) (*storage.Outbox, error) {
	return storage.OpenOutbox(ctx, storage.Options{Path: c.deps.LanePath, Now: c.deps.Now, Logger: c.deps.Logger}, storage.Lane{
		SourceInstanceID: c.deps.Profile.SourceInstanceID, ConnectorID: c.deps.Profile.ConnectorID,
	})
}

func (c *Collector) execution(store *storage.Outbox) *execution {
	e := &execution{
		c: c, store: store, lane: c.lane, budget: &budget{most: c.policy.MaxBatches, mostWaiting: c.policy.MaxQueue, mostBytes: c.policy.MaxQueueBytes},
		stores: &completeness.Diagnostics{},
		result: &RunResult{
			Object: "local_collector_run", SourceInstanceID: c.deps.Profile.SourceInstanceID, ConnectorID: c.deps.Profile.ConnectorID,
		},
	}
	e.d = &delivery.Deliverer{
		Store: store, Lane: e.lane, Policy: c.policy, Now: c.deps.Now, Random: c.deps.Random, Holder: c.holder, Manifest: e.pinned, Note: e.note,
	}
	return e
}

func (e *execution) make(ctx context.Context, req RunRequest) error {
	counts := e.count(ctx)
	begin := e.c.deps.Now()
	err := e.c.beat(ctx, device.StatusStarting, counts, nil)
	e.noteHeartbeat(err)
	if f, ok := client.FailureOf(err); ok && f.Class.Stops() {
		e.end.beaten = true // nothing else is taken either
	} else if err = e.steps(ctx, req); err != nil && ctx.Err() == nil {
		err = errors.Join(err, e.refuse(ctx, err, begin))
	}
	switch {
	case ctx.Err() != nil:
		e.end.interrupted, err = true, nil
	case err != nil:
		e.end.failed = true
	}
	e.finish(ctx)
	return err
}

// steps are the ones up to the prune. An error ends the execution early.
func (e *execution) steps(ctx context.Context, req RunRequest) error {
	if err := e.deliverFirst(ctx); err != nil {
		return err
	}
	counts, err := e.store.OutboxCounts(ctx)
	if err != nil {
		return err
	}
	if counts.HoldsScan > 0 {
		e.result.SkippedScan = true
		e.note("scan", "not scanned: what was collected before is delivered first")
		return req.Refused
	}
	if req.Refused != nil {
		return req.Refused
	}
	if req.Module != nil {
		e.module = req.Module.SHA256
	}
	if err := e.askState(ctx); err != nil {
		return err
	}
	if err := e.scan(ctx, req); err != nil {
		return e.outOfPlace(ctx, req.Module, err)
	}
	e.note("drain", "delivering what was collected")
	return e.d.Drain(ctx)
}

// deliverFirst puts right what an earlier execution left, and delivers it before
// anything is scanned (LC-03). A host that takes nothing from this device is an
// error: there is nothing to scan for.
func (e *execution) deliverFirst(ctx context.Context) (err error) {
	e.note("recover", "looking for what an earlier execution left")
	if e.result.Requeued, err = e.store.RequeueDeadLetters(ctx, true); err != nil {
		return err
	}
	if e.result.Recovered, err = e.store.RecoverLeases(ctx, e.c.alive); err != nil {
		return err
	}
	if e.lane.Profile.ConnectorInstanceID == "" { // what waits names it, and cannot be sent without
		if err := e.askState(ctx); err != nil {
			return err
		}
	}
	if e.lane.PublicOnly {
		if err := e.recallKeys(ctx); err != nil {
			return err
		}
		n, err := e.store.RequeueRefused(ctx, refusedBatch, refusedRecord)
		if e.result.Requeued += n; err != nil {
			return err
		}
	}
	e.note("drain", "delivering what waits")
	if err := e.d.Drain(ctx); err != nil {
		return err
	}
	if f := e.d.Refused(); f != nil {
		return f
	}
	return nil
}

// An older collector gave batches up under refusedBatch, and with refusedRecord in the host's
// words, which a public host takes now: in another form, or without a record.
const (
	refusedBatch  = "http_400:" + device.CodeBadRequest
	refusedRecord = "records["
)

// askState asks the host for the cursors that it has committed, and for what it
// calls the connection.
func (e *execution) askState(ctx context.Context) error {
	e.note("state", "reading the host's state")
	state, err := e.lane.Client.AskAgain(ctx, func() (*device.State, error) { return e.lane.State(ctx) })
	if err != nil {
		e.end.stateRead = true
		f, ok := client.FailureOf(err)
		if !ok || f.Class.Stops() {
			return err
		}
		return abi.NewError(CodeStateRead, "the host's state cannot be read, so nothing was scanned",
			"run the collector again when the host can be reached; nothing is lost").WithDetail(f.Error()).Wrap(f)
	}
	e.lane.Profile.ConnectorInstanceID = state.ConnectorInstanceID
	e.state = state
	return nil
}

// takeState takes the host's cursors over: a scan begins from them and from nothing
// else (LC-04). Those of another version's streams are nobody's to begin from.
func (e *execution) takeState(ctx context.Context) error {
	cursors := make(map[string][]byte, len(e.state.State))
	for stream, cursor := range e.state.State {
		if e.about.Stream(stream) != nil || stream == device.ScopeKey {
			cursors[stream] = cursor
		}
	}
	at := e.c.deps.Now()
	if e.state.UpdatedAt != nil {
		at = *e.state.UpdatedAt
	}
	return e.store.ConfirmState(ctx, cursors, at)
}

// finish prunes, counts, and tells what the execution came to, however it ended.
func (e *execution) finish(ctx context.Context) {
	kept := context.WithoutCancel(ctx)
	if !e.end.interrupted {
		e.prune(kept)
	}
	e.end.counts = e.count(kept)
	done, why, kind := e.d.Report()
	e.result.Delivered = done
	if c := e.end.counts; why != nil && c != nil && undelivered(c) > 0 {
		e.result.Delivery = problem(why)
		e.end.commitPending = kind == storage.KindRunCommit
	}
	e.end.budgetReached = e.result.BudgetReached
	e.result.Completeness = e.stores.Report()
	if c := e.end.counts; c != nil {
		e.result.Outbox, e.result.LifecycleState = countsOf(c), c.LifecycleState
	}
	e.result.Outcome = outcomeOf(&e.end, e.result)
	status, last := standing(&e.end)
	if !e.end.beaten {
		e.noteHeartbeat(e.c.beat(ctx, status, e.end.counts, last))
	}
}

// prune bounds what stays of acknowledged rows, and of the
// runs that ended, whatever is set for the rows. An execution does not fail with
// it: the next one prunes too.
func (e *execution) prune(ctx context.Context) {
	var err error
	if e.result.RunsPruned, err = e.store.PruneHistory(ctx, e.c.policy.KeepRuns); err != nil {
		e.c.deps.Logger.Warn("the lane's runs were not pruned", "code", string(abi.CodeOf(err)))
	}
	how := pruningOf(e.c.deps.AutoPrune, e.c.deps.Getenv)
	e.result.PrunedSent.Enabled = how.enabled
	if !how.enabled {
		return
	}
	done, err := e.store.PruneDelivered(ctx, how.keep)
	if err != nil {
		e.c.deps.Logger.Warn("the outbox was not pruned", "code", string(abi.CodeOf(err)))
		return
	}
	e.result.PrunedSent.Matched, e.result.PrunedSent.Pruned = done.Matched, done.Pruned
}

func (e *execution) count(ctx context.Context) *storage.OutboxCounts {
	counts, err := e.store.OutboxCounts(ctx)
	if err != nil {
		e.c.deps.Logger.Warn("the outbox could not be counted", "code", string(abi.CodeOf(err)))
		return nil
	}
	return &counts
}

// noteHeartbeat keeps why the last heartbeat was not taken.
func (e *execution) noteHeartbeat(err error) {
	e.result.Heartbeat = nil
	if err != nil {
		e.result.Heartbeat = problem(err)
	}
}

func (e *execution) note(step, text string) { e.c.deps.Observe(Step{Name: step, Text: text}) }

func problem(err error) *Problem {
	p := &Problem{Code: string(abi.CodeOf(err)), Message: "an internal error"}
	if e, ok := errors.AsType[*abi.Error](err); ok {
		p.Message, p.Hint = e.Message, e.Hint
		if e.Detail != "" {
			p.Message += ": " + e.Detail
		}
	}
	return p
}

// outcomeOf is the one word for how an execution ended (LC-05.2): the first that
// holds.
func outcomeOf(e *ending, r *RunResult) string {
	scanFailed := r.Run != nil && r.Run.Status != run.StatusSucceeded && !r.BudgetReached
	switch c := e.counts; {
	case e.interrupted, r.Run != nil && r.Run.Status == run.StatusCancelled:
		return OutcomeCancelled
	case c != nil && c.DeadLetter > 0:
		return OutcomeDeadLetter
	case e.failed, scanFailed, c == nil:
		return OutcomeFailed
	case waiting(c) > 0, c.BacklogOpen > 0, r.BudgetReached:
		return OutcomeBacklog
	case c.GapsOpen > 0, knownGaps(r.Run):
		return OutcomeGaps
	default:
		return OutcomeComplete
	}
}

// knownGaps reports whether a run knows of something that it did not collect.
func knownGaps(r *run.Result) bool {
	if r == nil {
		return false
	}
	for i := range r.KnownGaps {
		if r.KnownGaps[i].Severity != "informational" {
			return true
		}
	}
	return len(r.Gaps) > 0
}
