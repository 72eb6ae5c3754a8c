package run

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run/internal/fields"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// maxMessages bounds how many messages a run may send besides its records, so that a
// guest cannot fill the store with events.
const maxMessages = 200_000

// run is the host's side of one guest: it implements plugin.Host. Every byte passes
// the gate before anything else sees it (Invariant 3). The engine never calls it
// concurrently. Each of its parts has the state of one concern; package doc draws how
// they end a run together.
type run struct {
	*journal

	deps        *Deps
	plan        *plan
	id          string
	start       []byte // the START message
	intake      *intake
	checkpoints *checkpoints
	gaps        *gaps
	network     *network
	questions   *questions
	progress    *progress
	enumerated  *enumerations
	accounts    *accounts

	calls    atomic.Int64 // of the guest, see endAsleep
	messages int
	started  bool // the guest has read START
	done     *abi.Done
	doneSeen chan struct{} // closed when DONE has arrived
}

// newRun builds the run of a plan. The connection's gaps that are due are leased to it.
func newRun(ctx context.Context, deps *Deps, p *plan, w *storage.RunWriter, id string) (*run, error) {
	j := &journal{writer: w, now: deps.Now}
	p.network.journal = j
	l := ledger.New(p.manifest, p.scope, p.narrowed)
	for _, stream := range w.RejectionsUnlisted() {
		l.RequireFresh(stream)
	}
	rejected := newRejections(p.scope)
	r := &run{journal: j, deps: deps, plan: p, id: id, network: p.network, progress: &progress{journal: j}, doneSeen: make(chan struct{})}
	r.enumerated = &enumerations{
		journal: j, scope: p.scope, ledger: l, accepted: p.request.AcceptDeletions || p.request.AcceptRoot,
		opened: map[storage.Enumeration]bool{},
	}
	r.checkpoints = &checkpoints{
		journal: j, ledger: l, network: p.network, rejections: rejected, enumerated: r.enumerated, budget: deps.Budget, stopping: deps.Stopping,
		staged: map[string]*stagedCursor{}, committed: map[string]bool{},
	}
	r.accounts = newAccounts(j, p)
	r.gaps = newGaps(j, p, l)
	r.gaps.enumerated, r.checkpoints.gaps = r.enumerated, r.gaps
	r.intake = &intake{
		journal: j, scope: p.scope, gate: p.gate, ledger: l, served: r.gaps.served, network: p.network,
		place: &r.checkpoints.place, rejections: rejected, accepted: deps.Accepted, batch: w.NewBatch(),
		came: make([]int64, len(p.scope.Streams)), nameless: make([]int64, len(p.scope.Streams)), fields: fields.New(len(p.scope.Streams)),
	}
	r.questions = &questions{
		journal: j, gate: p.gate, manifest: p.manifest, asker: deps.Asker, secrets: p.secrets, logger: deps.Logger,
		granted: p.granted.start.Interactive != nil, rest: p.rest, browsing: p.browsing,
	}
	if err := r.gaps.know(ctx); err != nil {
		return nil, err
	}
	page, err := r.gaps.lease(ctx)
	if err != nil {
		return nil, err
	}
	state := w.State()
	p.granted.grant.Accounting.Fresh = len(state) == 0 && len(page) == 0
	r.start, err = startMessage(abi.Start{
		RunID: id, CollectionMode: p.mode, Scope: p.scope, Bindings: p.granted.start, Options: p.options,
		Credentials: p.heldCredentials(), DetailGaps: page, DetailLimits: p.details,
	}, state)
	return r, err
}

// ready checks what must hold before any message counts.
func (r *run) ready(what string) error {
	r.calls.Add(1)
	violation, storeErr := r.failures()
	switch {
	case violation != nil:
		return violation
	case storeErr != nil:
		return storeErr
	case r.done != nil:
		return r.fail(abi.NewError(abi.CodeAfterDone, what+" after DONE", "DONE is the last message of a run"))
	case r.questions.open.Load() && r.ctx.Err() == nil: // a run that ends cancels its open question too
		return r.fail(abi.NewError(abi.CodeInteractionPending, what+" while an INTERACTION is unanswered",
			"wait for the answer before anything else"))
	case !r.started:
		return r.fail(abi.NewError(abi.CodeCallOutOfPhase, what+" before START was read",
			"submit the start operation first"))
	}
	return nil
}

// Emit takes one or more RECORD lines.
func (r *run) Emit(payload []byte) error {
	if err := r.ready("RECORD"); err != nil {
		return err
	}
	if err := r.intake.take(payload); err != nil {
		return r.fail(err)
	}
	return nil
}

// Message takes one message that is not a record.
func (r *run) Message(call string, payload []byte) error {
	if err := r.ready(call); err != nil {
		return err
	}
	if r.messages++; r.messages > maxMessages {
		return r.fail(abi.NewError(abi.CodeTooManyMessages,
			fmt.Sprintf("more than %d messages besides records", maxMessages), "report in fewer, larger messages"))
	}
	if err := r.handle(call, payload); err != nil {
		return r.fail(err)
	}
	return nil
}

func (r *run) handle(call string, payload []byte) error {
	gate := r.plan.gate
	switch call {
	case "state":
		return behindRecords(r, gate.State, payload, r.checkpoints.stage)
	case "gap":
		return behindRecords(r, gate.Gap, payload, r.gaps.take)
	case "coverage":
		return behindRecords(r, gate.Coverage, payload, func(c *abi.DetailCoverage) error { return r.checkpoints.cover(c, len(payload)) })
	case "enumerate":
		return behindRecords(r, gate.Enumeration, payload, r.enumerated.take)
	case "skip":
		return r.onSkip(payload)
	case "account":
		a, err := gate.Account(payload)
		if err != nil {
			return err
		}
		return r.accounts.take(a)
	case "progress":
		p, err := gate.Progress(payload)
		if err != nil {
			return err
		}
		return r.progress.take(p)
	case "done":
		return behindRecords(r, gate.Done, payload, r.onDone)
	default:
		return abi.NewError(abi.CodeMessageType, "unknown message "+call, "see the host-call table")
	}
}

// behindRecords decodes a message and handles it once every record before it is in
// the writer's queue.
func behindRecords[M any](r *run, decode func([]byte) (M, error), payload []byte, handle func(M) error) error {
	msg, err := decode(payload)
	if err != nil {
		return err
	}
	if err := r.intake.flush(); err != nil {
		return err
	}
	return handle(msg)
}

// Log passes the guest's log lines to the debug log.
func (r *run) Log(level int32, text []byte) {
	r.deps.Logger.Debug("guest", "level", level, "text", string(text))
}

func (r *run) onDone(done *abi.Done) error {
	if done.RecordsEmitted != r.intake.emitted {
		return abi.NewError(abi.CodeCountMismatch,
			fmt.Sprintf("DONE counts %d records, but %d arrived", done.RecordsEmitted, r.intake.emitted),
			"count every RECORD that was emitted, tombstones included")
	}
	if done.Status == StatusSucceeded {
		if err := r.network.adoptBaseURL(); err != nil {
			return err
		}
	}
	r.done = done
	close(r.doneSeen)
	return nil
}

func (r *run) onSkip(payload []byte) error {
	skip, err := r.plan.gate.Skip(payload)
	if err != nil {
		return err
	}
	if skip.Reason == string(abi.ReasonStreamCollectionFailed) {
		r.checkpoints.ledger.FailStream(skip.Stream)
	}
	if err := r.enumerated.skipped(skip); err != nil {
		return err
	}
	if err := r.intake.withheld(skip); err != nil {
		return err
	}
	gap := skipGap(skip).bounded()
	r.known.add(gap)
	return r.event("run.stream_skipped", skip.Stream, gap)
}

// Submit starts one request of the guest. The guest reads a refusal; a violation
// ends the run besides.
func (r *run) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	if op == abi.OpBrowser && r.questions.handed.Load() {
		reply(handedOver)
		return nil
	}
	if op != abi.OpStart {
		if err := r.ready("a request"); err != nil {
			r.stop(err)
			return err
		}
	}
	switch op {
	case abi.OpStart:
		if r.started {
			return abi.NewError(abi.CodeStartTwice, "START was read already", "keep the first START")
		}
		r.started = true
		reply(r.start)
		return nil
	case abi.OpNow:
		answer, err := json.Marshal(map[string]int64{"unix_ms": r.now().UnixMilli()})
		if err != nil {
			return err
		}
		reply(answer)
		return nil
	case abi.OpGaps:
		if err := r.intake.flush(); err != nil {
			r.stop(err)
			return err
		}
		answer, err := r.gaps.answer(r.lasting())
		if r.stored(err) != nil {
			r.stop(err)
			return err
		}
		reply(answer)
		return nil
	case abi.OpMissing:
		answer, err := r.missing(request)
		if err != nil {
			r.stop(r.fail(err))
			return err
		}
		reply(answer)
		return nil
	case abi.OpInteract:
		if err := r.questions.ask(request, reply); err != nil {
			r.stop(r.fail(err))
			return err
		}
		return nil
	case abi.OpHTTP:
		return r.network.send(request, reply)
	case abi.OpBrowser:
		if r.plan.browsing == nil {
			return abi.NewError(abi.CodeBindingNotGranted, "the run was not granted a browser",
				"look at START.bindings.browser first")
		}
		return r.plan.browsing.Do(request, reply)
	default:
		return abi.NewError(abi.CodeOperationUnknown, "unknown operation", "see the operation table")
	}
}

// missing answers the operation missing, behind every record before it.
func (r *run) missing(request []byte) ([]byte, error) {
	m, err := r.plan.gate.Missing(request)
	if err != nil {
		return nil, err
	}
	if err := r.intake.flush(); err != nil {
		return nil, err
	}
	return r.enumerated.missing(r.lasting(), m)
}
