package run

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkpoints has the run's cursors: those staged, and those that slices committed.
// The ledger decides which may move.
type checkpoints struct {
	*journal

	ledger     *ledger.Ledger
	network    *network
	rejections *rejections
	enumerated *enumerations
	gaps       *gaps
	budget     func() abi.Reason // see Deps.Budget
	stopping   <-chan struct{}   // see Deps.Stopping

	staged    map[string]*stagedCursor
	committed map[string]bool // by a slice
	place     place           // how far the run has come
	planned   abi.Reason      // why the budget ended the run between two units; "": it did not
}

type stagedCursor struct {
	cursor []byte
	slice  string
	whole  bool // the slice is complete: commit as soon as it may
}

// stage stages a cursor. One that closes a whole slice commits at once when nothing
// withholds it: the writer works in order, so the slice's records are durable before
// the cursor is, or with it (PB-D8).
func (c *checkpoints) stage(state *abi.State) error {
	if err := c.network.adoptBaseURL(); err != nil {
		return err
	}
	st := &stagedCursor{cursor: append([]byte(nil), state.Cursor...)}
	c.place.reach(state.Stream, st.cursor)
	if state.Slice != nil {
		st.slice, st.whole = state.Slice.ID, state.Slice.Complete
	}
	if err := c.coverSlice(state); err != nil {
		return err
	}
	before := 0
	if old := c.staged[state.Stream]; old != nil {
		before = len(old.cursor)
	}
	if err := c.chargeMemory(len(st.cursor) - before); err != nil {
		return err
	}
	if err := c.waitForWriter(len(st.cursor)); err != nil {
		return err
	}
	c.staged[state.Stream] = st
	if st.whole && c.ledger.WithholdSlice(state.Stream) == "" {
		return c.commitSlice(state.Stream, st)
	}
	if err := c.stored(c.writer.Stage(c.lasting(), state.Stream, st.cursor, st.slice)); err != nil {
		return err
	}
	return c.event("run.state_staged", state.Stream, map[string]any{"slice": st.slice})
}

// commitSlice queues the cursor's commit behind every record before it. The
// batch has been flushed into the same queue (Invariant 1).
func (c *checkpoints) commitSlice(stream string, st *stagedCursor) error {
	if err := c.gaps.returned(); err != nil {
		return err
	}
	with := c.network.withLearnedRate(stream, st.cursor)
	if err := c.stored(c.writer.CommitSlice(c.lasting(), stream, with, st.slice, c.enumerated.behind(stream)...)); err != nil {
		return err
	}
	c.network.rateCommitted(stream, st.cursor, with)
	delete(c.staged, stream)
	c.charged -= int64(len(st.cursor))
	c.committed[stream] = true
	c.stopIfOverBudget()
	c.stopWithHost()
	return c.event("run.state_advanced", stream, map[string]any{"slice": st.slice})
}

// stopIfOverBudget ends the run after a unit that used up the run's budget: the unit's
// cursor is committed, so the next run goes on behind it. Messages that the guest
// sends while it winds up count as in any run.
func (c *checkpoints) stopIfOverBudget() {
	if c.budget == nil || c.planned != "" {
		return
	}
	if c.planned = c.budget(); c.planned != "" {
		c.stop(abi.NewError(abi.CodeBudgetReached, "the run stopped at its own bound, between two units of work",
			"run it again: it goes on behind the last one").WithDetail(string(c.planned)))
	}
}

// stopWithHost ends the run after a unit when the host winds up.
func (c *checkpoints) stopWithHost() {
	select {
	case <-c.stopping: // a nil channel is never ready
		c.stop(ErrInterrupted)
	default:
	}
}

// cover takes a lane's DETAIL_COVERAGE, of size bytes, and commits the whole slices
// that were only waiting for it.
func (c *checkpoints) cover(cov *abi.DetailCoverage, size int) error {
	if err := c.chargeMemory(size); err != nil {
		return err
	}
	report, err := c.report(ledger.Lane{Stream: cov.Stream, Parent: cov.StateStream}, cov.RequiredKeys, cov.HydratedKeys, cov.GapKeys, cov.OptionalSkipKeys)
	if err != nil {
		return err
	}
	// A stream without a lane may state a denominator, which accounts for no lane.
	if flat := cov.StateStream == cov.Stream && len(report.Required) == 0; !flat {
		if err := c.ledger.AddCoverage(report); err != nil {
			return err
		}
	}
	if err := c.stored(c.writer.PutCoverage(c.lasting(), storage.Coverage{
		Stream: cov.Stream, StateStream: cov.StateStream,
		Required: int64(len(report.Required)), Hydrated: int64(len(report.Hydrated)),
		Gaps: int64(len(report.Gaps)), Skipped: int64(len(report.Skipped)),
		Considered: cov.Considered, Covered: cov.Covered,
	})); err != nil {
		return err
	}
	if err := c.event("run.detail_coverage_declared", cov.Stream, map[string]any{
		"state_stream": cov.StateStream, "required": len(report.Required), "hydrated": len(report.Hydrated),
		"gaps": len(report.Gaps), "optional_skips": len(report.Skipped),
	}); err != nil {
		return err
	}
	if st := c.staged[cov.StateStream]; st != nil && st.whole && c.ledger.Withhold(cov.StateStream) == "" {
		return c.commitSlice(cov.StateStream, st)
	}
	return nil
}

// coverSlice takes what a STATE says about the lanes that its cursor anchors.
func (c *checkpoints) coverSlice(state *abi.State) error {
	var said []ledger.Report
	for _, s := range state.Coverage {
		report, err := c.report(ledger.Lane{Stream: s.Stream, Parent: state.Stream}, s.RequiredKeys, s.HydratedKeys, s.GapKeys, s.OptionalSkipKeys)
		if err != nil {
			return err
		}
		if !c.ledger.SliceAccounted(report) {
			for _, key := range s.RequiredKeys {
				if err := c.chargeMemory(len(key)); err != nil {
					return err
				}
			}
		}
		said = append(said, report)
	}
	return c.ledger.AddSlice(state.Stream, said)
}

// report reads an account of a lane, without the keys that the connector calls
// hydrated and never delivered.
func (c *checkpoints) report(ln ledger.Lane, required, hydrated, gaps, skipped []abi.Raw) (ledger.Report, error) {
	report := ledger.Report{Lane: ln}
	for _, part := range []struct {
		to   *[]string
		from []abi.Raw
	}{
		{&report.Required, required}, {&report.Hydrated, hydrated}, {&report.Gaps, gaps}, {&report.Skipped, skipped},
	} {
		var err error
		if *part.to, err = keyTexts(part.from); err != nil {
			return report, err
		}
	}
	return report, c.dropUndelivered(&report)
}

func keyTexts(raws []abi.Raw) ([]string, error) {
	out := make([]string, len(raws))
	for i, raw := range raws {
		text, err := boundary.KeyText(raw)
		if err != nil {
			return nil, err
		}
		out[i] = text
	}
	return out, nil
}

// atEnd returns what the outcome commits, and which staged cursors it withholds.
func (c *checkpoints) atEnd(out outcome) (commit []string, withheld []ledger.Withheld) {
	status := out.status
	if out.unfinished {
		status = StatusFailed // what the connector did not save as a slice, it did not finish
	}
	commit, withheld = c.ledger.DecideCheckpoints(status, out.certified, slices.Collect(maps.Keys(c.staged)))
	for _, w := range withheld {
		if w.Reason == ledger.WithheldCoverage {
			c.known.add(KnownGap{
				Kind: "detail_coverage", Reason: w.Reason, Severity: "recoverable", Stream: w.Stream,
				RecoveryHint: "retry_by_runtime", Message: "details of this stream are not all accounted for, so its cursor stays",
			})
		}
	}
	return commit, withheld
}

// committedInAll returns the streams whose cursors moved, with the outcome or by
// slices before it: sorted, never nil, and sharing no memory with either argument.
func committedInAll(atEnd []string, bySlices map[string]bool) []string {
	all := append([]string{}, atEnd...)
	all = slices.AppendSeq(all, maps.Keys(bySlices))
	slices.Sort(all)
	return slices.Compact(all)
}

// place is how far a run has come: the stream that it is at, and the last cursor
// that the guest gave for that stream. A planned stop leaves it behind (PB-D9).
type place struct {
	stream string
	cursor []byte // nil: none in this run
}

// maxPlaceCursor is up to which size a cursor is worth repeating in a gap.
const maxPlaceCursor = 4 << 10

// reach moves on to a stream, and to a cursor of that stream when there is one.
func (p *place) reach(stream string, cursor []byte) {
	if p.stream != stream {
		p.stream, p.cursor = stream, nil
	}
	if len(cursor) > 0 {
		p.cursor = cursor
	}
}

// stopped is the gap of a run that stopped asking at its own budget: where the run
// stands, and that the source did not press it (PB-A2, PB-A3, RT-24).
func (p *place) stopped(reason abi.Reason) KnownGap {
	return p.resumable(KnownGap{
		Kind: "send_budget", Reason: string(reason), Message: "the run stopped asking at its own budget; the next run goes on from here",
	})
}

// unfinished is the gap of a run that stopped between two units of work at its
// collector's own bound: the units that are left wait for the next run (LC-02.1).
func (p *place) unfinished(reason abi.Reason) KnownGap {
	return p.resumable(KnownGap{
		Kind: "policy_budget", Reason: string(reason), Message: "the run had collected as much as one may; the next run goes on from here",
	})
}

// resumable completes a gap that the next run closes by going on from here.
func (p *place) resumable(gap KnownGap) KnownGap {
	gap.Severity, gap.RecoveryHint, gap.Stream = "recoverable", "retry_by_runtime", p.stream
	if len(p.cursor) > 0 && len(p.cursor) <= maxPlaceCursor {
		if raw, err := json.Marshal(map[string]json.RawMessage{"cursor": p.cursor}); err == nil {
			gap.Diagnostics = raw
		}
	}
	return gap
}
