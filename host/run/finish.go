package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// finish decides the outcome and writes it, with the checkpoints that may move, in
// one transaction behind everything the guest emitted. cause is why the host ended
// the run early, nil when it did not.
func (r *run) finish(ctx context.Context, begin time.Time, exit plugin.Exit, cause error) (*Result, error) {
	ctx = context.WithoutCancel(ctx)
	// Records that arrived are stored whatever the outcome: each stands for itself.
	if r.storeError() == nil && !isCode(cause, abi.CodeFenced) {
		if r.intake.flush() == nil {
			_ = r.stored(r.writer.Flush(ctx))
		}
	}
	if r.storeError() == nil && !isCode(cause, abi.CodeFenced) {
		_ = r.gaps.settle() // its error is the store's
	}
	violation, storeErr := r.failures()
	if storeErr != nil {
		r.checkpoints.committed = r.durableSlices(ctx)
	}
	out := ending{
		done: r.done, exit: exit, violation: violation, storeErr: storeErr, cause: cause, unresolved: len(r.gaps.attempted),
		planned: r.network.plannedStop(), browser: r.browserFault(),
	}.decide()
	r.keepSubmitted(&out)
	if out.failure != nil && r.questions.unanswered.Load() {
		out.failure.Retryable = false // at once: it would ask an owner again who is not there
	}

	commit, withheld := r.checkpoints.atEnd(out)
	o := storage.Outcome{Status: out.status, Reason: string(out.reason), Narrowed: r.plan.narrowed || out.unfinished}
	if storeErr == nil {
		commits := !out.unfinished && r.checkpoints.ledger.Commits(out.status, out.certified)
		sweeps, err := r.enumerated.atEnd(ctx, commits, commit, withheld)
		if r.stored(err) != nil {
			return nil, err
		}
		o.Sweeps = sweeps
	}
	for _, w := range withheld {
		o.Withheld = append(o.Withheld, storage.Withheld(w))
	}
	r.intake.rejections.addEarlier(ctx, r.journal, o, r.deps.Logger)
	if o.Status == StatusSucceeded {
		r.accounts.differ(r.intake)
		r.accounts.keptBack(streamNames(r.plan.scope), r.gaps.of)
		if !o.Narrowed {
			r.compareFields(ctx, &o)
			r.unshown(ctx, commit)
		}
	}
	r.accounts.leftOut(r.plan.scope)
	r.accounts.settle(&o, exit.Books, r.intake.rejections.total())
	r.network.addTo(&o, &r.checkpoints.place, r.done != nil && exit.Returned && cause == nil)
	if planned := r.checkpoints.planned; planned != "" && out.status != StatusSucceeded {
		r.known.add(r.checkpoints.place.unfinished(planned))
	}
	result := r.result(begin, exit, out, commit, withheld)
	result.OpenGaps = r.openGaps(ctx)
	if err := r.write(ctx, o, out, result, commit); err != nil {
		if out.status == StatusSucceeded || storeErr == nil {
			// The outcome is not in the store, so it is not an outcome.
			return nil, err
		}
	}
	r.deps.Observe(r.update(r.now().Sub(begin), true))
	return result, nil
}

// openGaps counts the details that wait, as the store has them. If the store cannot be
// read, the result lists none.
func (r *run) openGaps(ctx context.Context) []OpenGaps {
	counts, err := r.deps.Store.GapCounts(ctx, r.plan.connection.ID, streamNames(r.plan.scope))
	if err != nil {
		r.deps.Logger.Warn("the open gaps cannot be counted", "error", err)
	}
	var open []OpenGaps
	for _, n := range counts {
		g := OpenGaps{Stream: n.Stream, Reason: n.Reason, Class: n.Class, Count: n.Count}
		if !n.NextAttempt.IsZero() {
			g.NextAttempt = &n.NextAttempt
		}
		open = append(open, g)
	}
	return open
}

// durableSlices returns which of the run's slices the store holds: after a failure of
// the store, a slice that was queued may be missing.
func (r *run) durableSlices(ctx context.Context) map[string]bool {
	durable := map[string]bool{}
	checkpoints, err := r.deps.Store.Checkpoints(ctx, r.plan.connection.ID)
	if err != nil {
		return durable // a slice that cannot be read is not claimed
	}
	for _, cp := range checkpoints {
		if cp.RunID == r.id && !cp.Staged {
			durable[cp.Stream] = true
		}
	}
	return durable
}

// write stores the outcome.
func (r *run) write(ctx context.Context, o storage.Outcome, out outcome, result *Result, commit []string) error {
	if isCode(r.storeError(), abi.CodeFenced) {
		r.writer.Abandon()
		return r.storeError()
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		return err
	}
	known, err := json.Marshal(result.KnownGaps)
	if err != nil {
		return err
	}
	o.KnownGaps, o.Result = known, encoded
	if out.failure != nil {
		f := out.failure
		o.Error = &storage.RunError{Code: f.Code, Message: f.Message, Retryable: f.Retryable, RecoveryHint: f.RecoveryHint, Cause: f.Cause, Place: f.Place, Submitted: f.submitted}
	}
	for _, stream := range commit {
		cursor := r.network.withLearnedRate(stream, r.checkpoints.staged[stream].cursor)
		o.Checkpoints = append(o.Checkpoints, storage.StateCommit{Stream: stream, Cursor: cursor})
		o.Events = append(o.Events, storage.Event{Type: "run.state_advanced", Stream: stream})
	}
	r.network.addLastRate(&o, commit)
	if out.status == StatusCancelled && out.reason != abi.ReasonConnectorReportedCancelled {
		o.Events = append(o.Events, storage.Event{Type: "run.cancel_requested"})
	}
	last := map[string]string{StatusSucceeded: "run.completed", StatusFailed: "run.failed", StatusCancelled: "run.cancelled"}
	o.Events = append(o.Events, storage.Event{Type: last[out.status]})
	return r.writer.Finish(ctx, o)
}

func (r *run) result(begin time.Time, exit plugin.Exit, out outcome, commit []string, withheld []ledger.Withheld) *Result {
	p := r.plan
	res := &Result{
		RunID: r.id, ConnectionID: p.connection.ID, Connection: p.connection.Name, Connector: p.manifest.ConnectorKey,
		Version: p.manifest.Version, ModuleSHA256: p.request.Module.SHA256, Mode: p.mode, Status: out.status,
		Reason: string(out.reason), Error: out.failure, Records: map[string]RecordCounts{}, Gaps: r.gaps.found, GapsFound: r.gaps.total(),
		KnownGaps: r.known.all(), Interactions: r.questions.asked, DurationMS: r.now().Sub(begin).Milliseconds(),
		Roots: p.granted.roots, Streams: streamNames(p.scope),
		Checkpoints: Checkpoints{Committed: committedInAll(commit, r.checkpoints.committed), Withheld: []Withheld{}},
	}
	for _, w := range withheld {
		res.Checkpoints.Withheld = append(res.Checkpoints.Withheld, Withheld(w))
	}
	if res.Gaps == nil {
		res.Gaps = []Gap{}
	}
	if out.failure != nil {
		out.failure.Log = exit.Written
	}
	if sending := r.network.sending; sending != nil {
		res.Requests = sending.Counts()
		if out.failure != nil && out.reason == abi.ReasonConnectorReportedFailed {
			out.failure.Cause, out.failure.Place = sending.Trouble()
		}
	}
	res.Enumerated, res.Whole, res.Accounted = r.enumerated.streams(), r.enumerated.whole(), r.enumerated.ledger.Accounted()
	res.Accounts, res.Files = r.accounts.all(res.Streams), exit.Books
	for _, s := range r.streamUpdates() {
		res.Records[s.Name] = RecordCounts{
			Upserted: s.New + s.Changed, New: s.New, Changed: s.Changed, Deleted: s.Deleted + r.enumerated.ending[s.Name], Unchanged: s.Unchanged, Rejected: s.Rejected, Suppressed: s.Suppressed,
		}
	}
	if out.status == StatusFailed && r.deps.Asker == nil && out.failure != nil {
		switch out.failure.RecoveryHint {
		case "refresh_credentials", "manual_action_required":
			res.OwnerNeeded = true
		}
	}
	return res
}

// unshown adds a known gap for each stream whose records came without what its coverage_strategy
// promises, where no run has shown it before. That a later run shows none is no news: it may
// have had only what is new. A stream that the run said lacks something promises nothing.
func (r *run) unshown(ctx context.Context, commit []string) {
	shown := &Result{Checkpoints: Checkpoints{Committed: committedInAll(commit, r.checkpoints.committed)}}
	shown.Whole, shown.Accounted = r.enumerated.whole(), r.enumerated.ledger.Accounted()
	files, _ := r.plan.manifest.Declares(abi.BindingFilesystem)
	var before map[string]int64
	for i, came := range r.intake.came {
		st := r.plan.manifest.Stream(r.plan.scope.Streams[i].Name)
		if st == nil || came == 0 || st.Name == abi.StreamCoverage || r.known.tells(st.Name) {
			continue
		}
		what := shown.Lacking(st, files)
		if what == "" {
			continue
		}
		if before == nil {
			before = r.collectedBefore(ctx)
		}
		if before[st.Name] == 0 {
			r.known.add(KnownGap{
				Kind: storage.CoverageNotShown, Reason: storage.CoverageNotShown, Severity: severityInformational, RecoveryHint: "retry_on_connector_upgrade", Stream: st.Name,
				Message: "the stream declares " + st.CoverageStrategy + ", and its records came without " + what + ": nothing says that they are all",
			})
		}
	}
}

// collectedBefore returns when runs have collected each stream. A store that cannot say it knows
// of no run.
func (r *run) collectedBefore(ctx context.Context) map[string]int64 {
	e, err := r.deps.Store.EvidenceOf(ctx, r.plan.connection.ID)
	if err != nil || e.Facts.CollectedUS == nil {
		return map[string]int64{}
	}
	return e.Facts.CollectedUS
}
