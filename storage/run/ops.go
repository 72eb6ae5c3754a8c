package run

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// Event is something that happened in a run. The store numbers the events of a
// run from 1. Data is JSON, nil for none. The store sets Seq and At.
type Event struct {
	Seq    int64
	Type   string
	Stream string
	Data   []byte
	At     time.Time
}

// Coverage is what a DETAIL_COVERAGE accounted for (RT-12): how many keys of
// the detail stream were required, fetched, left as gaps, or skipped by policy.
// Considered and Covered are a flat stream's own denominator, nil without one.
type Coverage struct {
	Stream, StateStream               string
	Required, Hydrated, Gaps, Skipped int64
	Considered, Covered               *int64
}

// Stage keeps a cursor for the end of the run: it is durable, but not committed,
// and dropped when the run is abandoned. cursor is JSON.
func (w *Writer) Stage(ctx context.Context, stream string, cursor []byte, sliceID string) error {
	text := tables.JSONText(cursor)
	return w.queue(ctx, func(t *db.Tx) error {
		row := tables.StagedRow{RunPK: w.To.RunPK, Stream: stream, Cursor: text, SliceID: sliceID, StagedUS: db.Micros(t.Now)}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (run_pk, stream) DO UPDATE").
			Set("cursor = EXCLUDED.cursor, slice_id = EXCLUDED.slice_id, staged_us = EXCLUDED.staged_us").Exec(t.Ctx)
		return err
	})
}

// CommitSlice commits a cursor under the run's bookmark as soon as every record
// written before it is durable (PB-D8). In a lane it queues the commit. The sweeps
// close enumerations in the same transaction.
func (w *Writer) CommitSlice(ctx context.Context, stream string, cursor []byte, sliceID string, sweeps ...record.Sweep) error {
	text := tables.JSONText(cursor)
	return w.queue(ctx, func(t *db.Tx) error {
		if err := w.sweep(t, sweeps); err != nil {
			return err
		}
		return w.sink.Checkpoint(t, stream, text, sliceID)
	})
}

// CommitState moves one committed cursor.
//
// Invariant 1: the queue keeps its order and a transaction is all or nothing,
// so a cursor is in the same transaction as the records it covers or in a later
// one; and since a run's first failure ends its queue, never without them.
func CommitState(t *db.Tx, w *Writer, stream, cursor, sliceID string) error {
	seq, err := record.OpenSequence(t)
	if err != nil {
		return err
	}
	row := tables.StateRow{
		ConnectionID: w.To.ConnectionID, Stream: stream, Bookmark: w.bookmark, Cursor: cursor, SliceID: sliceID,
		RunID: w.runID, Seq: seq.Last, CommittedUS: db.Micros(t.Now),
	}
	_, err = t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id, stream, bookmark) DO UPDATE").
		Set("cursor = EXCLUDED.cursor, slice_id = EXCLUDED.slice_id, run_id = EXCLUDED.run_id").
		Set("seq = EXCLUDED.seq, committed_us = EXCLUDED.committed_us").Exec(t.Ctx)
	if err != nil {
		return err
	}
	_, err = t.DB.NewDelete().Model((*tables.StagedRow)(nil)).Where("run_pk = ? AND stream = ?", w.To.RunPK, stream).Exec(t.Ctx)
	return err
}

// PutCoverage keeps a lane's account. A later one for the same lane replaces it.
func (w *Writer) PutCoverage(ctx context.Context, c Coverage) error {
	return w.queue(ctx, func(t *db.Tx) error {
		row := tables.CoverageRow{
			RunPK: w.To.RunPK, Stream: c.Stream, StateStream: c.StateStream, Required: c.Required, Hydrated: c.Hydrated,
			Gaps: c.Gaps, Skipped: c.Skipped, Considered: c.Considered, Covered: c.Covered, DeclaredUS: db.Micros(t.Now),
		}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (run_pk, stream, state_stream) DO UPDATE").
			Set("required = EXCLUDED.required, hydrated = EXCLUDED.hydrated, gaps = EXCLUDED.gaps").
			Set("skipped = EXCLUDED.skipped, considered = EXCLUDED.considered, covered = EXCLUDED.covered").
			Set("declared_us = EXCLUDED.declared_us").Exec(t.Ctx)
		return err
	})
}

// Event appends an event to the run.
func (w *Writer) Event(ctx context.Context, e Event) error {
	if e.Type == "" {
		return w.fail(eventWithoutType())
	}
	e.Data = append([]byte(nil), e.Data...)
	return w.queue(ctx, func(t *db.Tx) error { return AddEvent(t, w, e) })
}

func eventWithoutType() error { return abi.NewError(abi.CodeInternal, "an event has no type", "") }

// AddEvent appends an event to the run, and follows in the evidence what it asks.
func AddEvent(t *db.Tx, w *Writer, e Event) error {
	w.events++
	if err := evidence.RunSays(t, w.To.ConnectionID, e.Type, e.Data); err != nil {
		return err
	}
	return putEvent(t, w.To.RunPK, w.events, e)
}

func putEvent(t *db.Tx, runPK, seq int64, e Event) error {
	row := tables.EventRow{RunPK: runPK, Seq: seq, Type: e.Type, Stream: e.Stream, Data: string(e.Data), AtUS: db.Micros(t.Now)}
	_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
	return err
}
