package run

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// finish decides the outcome and writes it, with the checkpoints that may
// move, in one transaction behind everything the guest emitted.
func (r *Runner) finish(ctx context.Context, cause error, begin time.Time, req Request, p *prepared, c *collection, exit plugin.Exit) (*Result, error) {
	ctx = context.WithoutCancel(ctx)
	// What arrived is kept, whatever the outcome: records stand for themselves.
	if _, storeErr := c.ended(); storeErr == nil && !isCode(cause, abi.CodeFenced) {
		if c.flush() == nil {
			_ = c.stored(c.writer.Flush(ctx))
		}
	}
	violation, storeErr := c.ended()
	if storeErr != nil {
		c.committed = r.durable(ctx, p, c)
	}
	out := ending{
		done: c.done, exit: exit, violation: violation, storeErr: storeErr, cause: cause, unresolved: len(c.attempted),
		planned: c.bound(),
	}.decide()

	settled := out.status
	if out.unfinished {
		settled = StatusFailed // what the connector did not save as a slice, it did not finish
	}
	commit, held := c.ledger.settle(settled, out.certified, slices.Collect(maps.Keys(c.staged)))
	for _, h := range held {
		if h.Reason == withheldCoverage {
			c.known.add(KnownGap{
				Kind: "detail_coverage", Reason: withheldCoverage, Severity: "recoverable", Stream: h.Stream,
				RecoveryHint: "retry_by_runtime", Message: "details of this stream are not all accounted for, so its cursor stays",
			})
		}
	}
	o := storage.Outcome{Status: out.status, Reason: string(out.reason), Narrowed: p.narrowed || out.unfinished}
	for _, h := range held {
		o.Withheld = append(o.Withheld, storage.Withheld{Stream: h.Stream, Reason: h.Reason})
	}
	r.rejectedEarlier(ctx, c, o)
	c.ofSending(&o)
	if c.planned != "" && out.status != StatusSucceeded {
		c.known.add(c.at.unfinished(c.planned))
	}
	result := c.result(begin, req, p, exit, out, commit, held)
	result.OpenGaps = r.openGaps(ctx, p)
	if err := c.write(ctx, o, out, result, commit); err != nil {
		if out.status == StatusSucceeded || storeErr == nil {
			// The outcome is not in the store, so it is not an outcome.
			return nil, err
		}
	}
	r.deps.Observe(c.update(r.deps.Now().Sub(begin), true))
	return result, nil
}

// openGaps counts the details that wait, as the store has them. What cannot be
// read is not told.
func (r *Runner) openGaps(ctx context.Context, p *prepared) []OpenGaps {
	counts, err := r.deps.Store.GapCounts(ctx, p.connection.ID, streamNames(p.scope))
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

// durable returns which of the run's slices the store holds: after a failure of
// the store, one that was queued may not be among them.
func (r *Runner) durable(ctx context.Context, p *prepared, c *collection) map[string]bool {
	held := map[string]bool{}
	checkpoints, err := r.deps.Store.Checkpoints(ctx, p.connection.Name)
	if err != nil {
		return held // what cannot be read is not claimed
	}
	for _, cp := range checkpoints {
		if cp.RunID == c.runID && !cp.Staged {
			held[cp.Stream] = true
		}
	}
	return held
}

// write stores the outcome.
func (c *collection) write(ctx context.Context, o storage.Outcome, out outcome, result *Result, commit []string) error {
	if isCode(c.storeError(), abi.CodeFenced) {
		c.writer.Abandon()
		return c.storeError()
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
		o.Error = &storage.RunError{Code: f.Code, Message: f.Message, Retryable: f.Retryable, RecoveryHint: f.RecoveryHint, Cause: f.Cause, Place: f.Place}
	}
	for _, stream := range commit {
		o.Checkpoints = append(o.Checkpoints, storage.StateCommit{Stream: stream, Cursor: c.learned(stream, c.staged[stream].cursor)})
		o.Events = append(o.Events, storage.Event{Type: "run.state_advanced", Stream: stream})
	}
	c.relearn(&o, commit)
	if out.status == StatusCancelled && out.reason != abi.ReasonConnectorReportedCancelled {
		o.Events = append(o.Events, storage.Event{Type: "run.cancel_requested"})
	}
	last := map[string]string{StatusSucceeded: "run.completed", StatusFailed: "run.failed", StatusCancelled: "run.cancelled"}
	o.Events = append(o.Events, storage.Event{Type: last[out.status]})
	return c.writer.Finish(ctx, o)
}

func (c *collection) storeError() error {
	_, err := c.ended()
	return err
}

func (c *collection) result(begin time.Time, req Request, p *prepared, exit plugin.Exit, out outcome, commit []string, held []Withheld) *Result {
	res := &Result{
		RunID: c.runID, ConnectionID: p.connection.ID, Connection: p.connection.Name, Connector: p.manifest.ConnectorKey,
		Version: p.manifest.Version, ModuleSHA256: req.Module.SHA256, Mode: p.mode, Status: out.status,
		Reason: string(out.reason), Error: out.failure, Records: map[string]RecordCounts{}, Gaps: c.gaps, GapsFound: c.gapsFound,
		KnownGaps: c.known.all(), Interactions: c.asked, DurationMS: c.deps.Now().Sub(begin).Milliseconds(),
		Roots: p.granted.roots, Streams: streamNames(p.scope),
	}
	if c.sending != nil {
		res.Requests = c.sending.Counts()
	}
	if res.Gaps == nil {
		res.Gaps = []Gap{}
	}
	if out.failure != nil {
		out.failure.Log = exit.Written
		if c.sending != nil && out.reason == abi.ReasonConnectorReportedFailed {
			out.failure.Cause, out.failure.Place = c.sending.Trouble()
		}
	}
	for _, s := range c.update(0, true).Streams {
		res.Records[s.Name] = RecordCounts{
			Upserted: s.New + s.Changed, New: s.New, Changed: s.Changed, Deleted: s.Deleted, Unchanged: s.Unchanged, Rejected: s.Rejected,
		}
	}
	res.Checkpoints = Checkpoints{Committed: committedInAll(commit, c.committed), Withheld: append([]Withheld{}, held...)}
	if out.status == StatusFailed && c.deps.Asker == nil && out.failure != nil {
		switch out.failure.RecoveryHint {
		case "refresh_credentials", "manual_action_required":
			res.OwnerNeeded = true
		}
	}
	return res
}

// committedInAll returns the streams whose cursors moved, with the outcome or by
// slices before it: sorted, never nil, and no part of either argument.
func committedInAll(atEnd []string, bySlices map[string]bool) []string {
	all := append([]string{}, atEnd...)
	all = slices.AppendSeq(all, maps.Keys(bySlices))
	slices.Sort(all)
	return slices.Compact(all)
}
