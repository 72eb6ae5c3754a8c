package run

import (
	"context"

	"github.com/pdpp-host/pdpp-host/storage"
)

// onState stages a cursor. One that closes a whole slice commits at once when
// nothing withholds it: the writer works in order, so its records are durable
// before it is, or with it (PB-D8).
func (c *collection) onState(payload []byte) error {
	state, err := c.gate.State(payload)
	if err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.arrive(); err != nil {
		return err
	}
	st := &stagedCursor{cursor: append([]byte(nil), state.Cursor...)}
	c.at.reach(state.Stream, st.cursor)
	if state.Slice != nil {
		st.slice, st.whole = state.Slice.ID, state.Slice.Complete
	}
	if err := c.onSliceCoverage(state); err != nil {
		return err
	}
	held := 0
	if before := c.staged[state.Stream]; before != nil {
		held = len(before.cursor)
	}
	if err := c.keep(len(st.cursor) - held); err != nil {
		return err
	}
	if err := c.pace(len(st.cursor)); err != nil {
		return err
	}
	c.staged[state.Stream] = st
	if st.whole && c.ledger.withholdSlice(state.Stream) == "" {
		return c.commitSlice(state.Stream, st)
	}
	if err := c.stored(c.writer.Stage(context.WithoutCancel(c.ctx), state.Stream, st.cursor, st.slice)); err != nil {
		return err
	}
	return c.event("run.state_staged", state.Stream, map[string]any{"slice": st.slice})
}

// commitSlice queues the cursor's commit behind every record before it. The
// batch has been flushed into the same queue (Invariant 1).
func (c *collection) commitSlice(stream string, st *stagedCursor) error {
	with := c.learned(stream, st.cursor)
	if err := c.stored(c.writer.CommitSlice(context.WithoutCancel(c.ctx), stream, with, st.slice)); err != nil {
		return err
	}
	c.paced(stream, st.cursor, with)
	delete(c.staged, stream)
	c.kept -= int64(len(st.cursor))
	c.committed[stream] = true
	c.weigh()
	return c.event("run.state_advanced", stream, map[string]any{"slice": st.slice})
}

// onCoverage takes a lane's account, and commits the whole slices that were
// only waiting for it.
func (c *collection) onCoverage(payload []byte) error {
	cov, err := c.gate.Coverage(payload)
	if err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.keep(len(payload)); err != nil {
		return err
	}
	ctx := context.WithoutCancel(c.ctx)
	report, err := c.reportOf(ctx, lane{cov.Stream, cov.StateStream}, cov.RequiredKeys, cov.HydratedKeys, cov.GapKeys, cov.OptionalSkipKeys)
	if err != nil {
		return err
	}
	// A stream without a lane may state a denominator; that is no lane's account.
	if flat := cov.StateStream == cov.Stream && len(report.required) == 0; !flat {
		if err := c.ledger.addCoverage(report); err != nil {
			return err
		}
	}
	if err := c.stored(c.writer.PutCoverage(ctx, storage.Coverage{
		Stream: cov.Stream, StateStream: cov.StateStream,
		Required: int64(len(report.required)), Hydrated: int64(len(report.hydrated)),
		Gaps: int64(len(report.gaps)), Skipped: int64(len(report.skipped)),
		Considered: cov.Considered, Covered: cov.Covered,
	})); err != nil {
		return err
	}
	if err := c.event("run.detail_coverage_declared", cov.Stream, map[string]any{
		"state_stream": cov.StateStream, "required": len(report.required), "hydrated": len(report.hydrated),
		"gaps": len(report.gaps), "optional_skips": len(report.skipped),
	}); err != nil {
		return err
	}
	if st := c.staged[cov.StateStream]; st != nil && st.whole && c.ledger.withhold(cov.StateStream) == "" {
		return c.commitSlice(cov.StateStream, st)
	}
	return nil
}
