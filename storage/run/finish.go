package run

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/question"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// Outcome is how a run ended.
type Outcome struct {
	Status      string // succeeded, failed or cancelled
	Reason      string
	Error       *tables.RunError // nil on success
	Checkpoints []StateCommit
	Withheld    []tables.Withheld
	KnownGaps   []byte // JSON, nil for none
	Result      []byte // JSON, nil for none
	Events      []Event
	// Pressure arms the cooldown; PressureOver disarms it. At most one is set.
	Pressure     *Pressure
	PressureOver bool
	Pause        *Pause // that stands as the run ends; nil: what is known of one stays
	// Narrowed: the run was told to leave out records of streams that it names, or
	// stopped at its owner's bound before it had looked at all of them.
	Narrowed bool
	// EndedAt is when the run ended elsewhere, if that was before now; zero: now.
	EndedAt time.Time
	Sweeps  []record.Sweep // closed with the checkpoints
	Books   *tables.Books  // of a run that looked at all of its folders; nil: those of before stay
	Amiss   tables.Amiss   // what any other run said of files
	// Fields are which fields carry data, of every stream of which that is known; nil: those of before
	// stay.
	Fields       map[string]tables.Fields
	Destinations []Destination // what the run sent where and has not added before
}

// Pressure says that a connection's last run ended under source pressure and
// left no gap to say so (governor contract, section 10). It defers the next
// automatic run.
type Pressure struct {
	Reason       string
	AttemptCount int64 // runs in a row, from 0; the store counts
	RunID        string
	At           time.Time
	NextAttempt  time.Time // when the provider lets the next request through; zero: it did not say
}

// Finish ends the run: in one transaction, after everything queued before it, the cursors
// move, the run becomes terminal, its events are appended, its leased gaps return, and the
// lease is released. It waits until that is durable; when it fails, none of it happened. The
// writer cannot be used after it.
//
// After an earlier failure only an outcome that commits nothing (no success, no
// checkpoints) is written, so that history says how the run ended; otherwise,
// and when the run was fenced, Finish returns that failure.
func (w *Writer) Finish(ctx context.Context, o Outcome) error {
	if o.Status == "" || o.Status == tables.StatusRunning || o.Status == tables.StatusAbandoned {
		return abi.NewError(abi.CodeInternal, "a run cannot end with status "+o.Status, "")
	}
	row, err := OutcomeRow(o)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// Not given up half-way: the caller has to know whether the run has ended.
	end := &queued{w: w, last: o.Status != tables.StatusSucceeded && len(o.Checkpoints) == 0}
	if err := w.failure(); err != nil && (!end.last || w.hasEnded()) {
		return err
	}
	if err := w.wait(context.WithoutCancel(ctx), end, func(t *db.Tx) error { return Finish(t, w, o, row) }); err != nil {
		return err
	}
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	return nil
}

func (w *Writer) hasEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// OutcomeRow returns the columns that an outcome fills.
func OutcomeRow(o Outcome) (row tables.RunRow, err error) {
	for _, e := range o.Events {
		if e.Type == "" {
			return row, eventWithoutType()
		}
	}
	names := make([]string, len(o.Checkpoints))
	for i, c := range o.Checkpoints {
		names[i] = c.Stream
	}
	if row.Checkpoints, err = tables.EncodeJSON(names); err != nil {
		return row, err
	}
	if row.Withheld, err = tables.EncodeJSON(append([]tables.Withheld{}, o.Withheld...)); err != nil {
		return row, err
	}
	if o.Error != nil {
		if row.Error, err = tables.EncodeJSON(o.Error); err != nil {
			return row, err
		}
	}
	row.Status, row.Reason, row.Narrowed = o.Status, o.Reason, o.Narrowed
	row.KnownGaps, row.Result = string(o.KnownGaps), string(o.Result)
	return row, nil
}

// Finish ends the run within a transaction, as Finish of Writer does.
func Finish(t *db.Tx, w *Writer, o Outcome, row tables.RunRow) error {
	if err := w.sweep(t, o.Sweeps); err != nil {
		return err
	}
	if err := w.sink.Commit(t, o.Checkpoints); err != nil {
		return err
	}
	if _, err := t.DB.NewDelete().Model((*tables.StagedRow)(nil)).Where("run_pk = ?", w.To.RunPK).Exec(t.Ctx); err != nil {
		return err
	}
	for _, e := range o.Events {
		if err := AddEvent(t, w, e); err != nil {
			return err
		}
	}
	row.PK, row.FinishedUS = w.To.RunPK, db.Micros(t.Now)
	if us, ok := tables.Earlier(o.EndedAt, t.Now); ok {
		row.FinishedUS = us
	}
	_, err := t.DB.NewUpdate().Model(&row).WherePK().
		Column("status", "reason", "error", "checkpoints", "withheld", "known_gaps", "result", "narrowed", "finished_us").Exec(t.Ctx)
	if err != nil {
		return err
	}
	ended, err := outcomeRead(t, w)
	if err != nil {
		return err
	}
	if err := w.sink.End(t, ended, o.Checkpoints); err != nil {
		return err
	}
	if err := keepBooks(t, w.To.ConnectionID, &o); err != nil {
		return err
	}
	if err := returnGaps(t, w.To.ConnectionID); err != nil {
		return err
	}
	if err := question.Lose(t, w.runID); err != nil {
		return err
	}
	if err := keepPressure(t, w, o); err != nil {
		return err
	}
	if err := settlePause(t, w, o); err != nil {
		return err
	}
	if err := addDestinations(t, w.To.ConnectionID, o.Destinations); err != nil {
		return err
	}
	err = release(t, w.To.ConnectionID)
	// The lease is gone, so whatever this run has queued behind is refused.
	verified(t)[w] = fenced(w, "it has ended")
	return err
}

// outcomeRead reads back the run that has just ended.
func outcomeRead(t *db.Tx, w *Writer) (*tables.RunRow, error) {
	row := &tables.RunRow{PK: w.To.RunPK}
	if err := t.DB.NewSelect().Model(row).ExcludeColumn("result").WherePK().Scan(t.Ctx); err != nil {
		return nil, err
	}
	if err := record.EndRejections(t, w.To, row); err != nil {
		return nil, err
	}
	w.pruneAfter(t)
	return row, evidence.RunEnded(t, row)
}

// keepPressure writes what the run's outcome says of source pressure: a record,
// or that there is none any more. An outcome that says neither leaves what is
// known: a run that never asked the provider has learned nothing.
func keepPressure(t *db.Tx, w *Writer, o Outcome) error {
	if o.Pressure == nil {
		if !o.PressureOver {
			return nil
		}
		_, err := t.DB.NewDelete().Model((*tables.PressureRow)(nil)).Where("connection_id = ?", w.To.ConnectionID).Exec(t.Ctx)
		return err
	}
	row := tables.PressureRow{ConnectionID: w.To.ConnectionID, Reason: o.Pressure.Reason, RunID: w.runID, AtUS: db.Micros(t.Now)}
	if !o.Pressure.NextAttempt.IsZero() {
		row.NextAttemptUS = db.Micros(o.Pressure.NextAttempt)
	}
	_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id) DO UPDATE").
		Set("reason = EXCLUDED.reason, run_id = EXCLUDED.run_id, at_us = EXCLUDED.at_us").
		// An owner who insists and is refused again has not been given leave.
		Set("next_attempt_us = max(?TableAlias.next_attempt_us, EXCLUDED.next_attempt_us)").
		Set("attempt_count = ?TableAlias.attempt_count + 1").Exec(t.Ctx)
	return err
}
