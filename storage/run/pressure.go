package run

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// PressureGap is a pending gap that a provider's pressure left, as the cooldown
// reads it.
type PressureGap struct {
	Reason           string
	Class            string // of its error: a run's own bound is no pressure, whatever the reason
	AttemptCount     int64
	At               time.Time // of the last attempt, else of its discovery
	NextAttemptAfter time.Time // zero: nothing was said
}

// SourcePressure is what is stored of a connection's source pressure.
type SourcePressure struct {
	Record *Pressure     // nil: none
	Pause  *Pressure     // that a run learned, whether it came to its end or not; nil: none
	Gaps   []PressureGap // at most mostPressureGaps, the newest
}

// mostPressureGaps bounds the gaps that a cooldown is worked out from.
const mostPressureGaps = 1000

// SourcePressure returns what defers a connection's next automatic run. reasons
// are those that count.
func (s *Store) SourcePressure(ctx context.Context, connection string, reasons []string) (*SourcePressure, error) {
	const what = "read the source pressure"
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail(what, err)
	}
	out := new(SourcePressure)
	var row tables.PressureRow
	err = s.db.Read.NewSelect().Model(&row).Where("connection_id = ?", c.ID).Scan(ctx)
	switch {
	case err == nil:
		out.Record = &Pressure{
			Reason: row.Reason, AttemptCount: row.AttemptCount, RunID: row.RunID, At: db.Time(row.AtUS), NextAttempt: db.Time(row.NextAttemptUS),
		}
	case !errors.Is(err, sql.ErrNoRows):
		return nil, s.db.Fail(what, err)
	}
	if out.Pause, err = s.pause(ctx, c.ID); err != nil {
		return nil, s.db.Fail(what, err)
	}
	var rows []tables.GapRow
	for _, reason := range reasons {
		// By one reason at a time, in the order of gaps_open_newest.
		var of []tables.GapRow
		err = s.db.Read.NewSelect().Model(&of).Column("reason", "class", "attempt_count", "last_attempt_us", "next_attempt_us", "created_us").
			Where("connection_id = ? AND reason = ? AND status IN (?, ?)", c.ID, reason, tables.GapPending, tables.GapInProgress).
			OrderExpr("max(last_attempt_us, created_us) DESC").Limit(mostPressureGaps).Scan(ctx)
		if err != nil {
			return nil, s.db.Fail(what, err)
		}
		rows = append(rows, of...)
	}
	slices.SortStableFunc(rows, func(a, b tables.GapRow) int { return cmp.Compare(b.TouchedUS(), a.TouchedUS()) })
	for _, r := range rows[:min(len(rows), mostPressureGaps)] {
		out.Gaps = append(out.Gaps, PressureGap{
			Reason: r.Reason, Class: r.Class, AttemptCount: r.AttemptCount, At: db.Time(r.TouchedUS()), NextAttemptAfter: db.Time(r.NextAttemptUS),
		})
	}
	return out, nil
}

// Pause is what a run learned of its provider's patience. It is durable before the run waits,
// since a run that is killed while it waits keeps nothing (AC-13).
type Pause struct {
	Reason  string
	Until   time.Time // no run asks before; zero: any may
	Learned []byte    // JSON of the send governor, which the next run's gets back; nil: none
}

// KeepPause keeps a pause, durable when it returns. A pause that stands already, perhaps of an
// earlier run, becomes no shorter by it: an owner who insists and is refused again has not
// been given leave.
func (w *Writer) KeepPause(ctx context.Context, p Pause) error {
	return w.await(ctx, func(t *db.Tx) error { return putPause(t, w, p) })
}

func putPause(t *db.Tx, w *Writer, p Pause) error {
	row := tables.PauseRow{
		ConnectionID: w.To.ConnectionID, RunID: w.runID, Reason: p.Reason, AtUS: db.Micros(t.Now), Learned: string(p.Learned),
	}
	if !p.Until.IsZero() {
		row.UntilUS = db.Micros(p.Until)
	}
	_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id) DO UPDATE").
		Set("run_id = EXCLUDED.run_id, reason = EXCLUDED.reason, at_us = EXCLUDED.at_us, learned = EXCLUDED.learned").
		Set("until_us = max(?TableAlias.until_us, EXCLUDED.until_us)").Exec(t.Ctx)
	if err != nil {
		return err
	}
	return evidence.PauseLearned(t, w.To.ConnectionID)
}

// settlePause keeps the pause that stands as a run ends. A run that was answered and is in no
// pause ends that of earlier runs.
func settlePause(t *db.Tx, w *Writer, o Outcome) error {
	p := o.Pause
	switch {
	case p == nil:
		return nil
	case !p.Until.IsZero() || o.Pressure != nil:
		return putPause(t, w, *p)
	}
	if _, err := t.DB.NewDelete().Model((*tables.PauseRow)(nil)).Where("connection_id = ?", w.To.ConnectionID).Exec(t.Ctx); err != nil {
		return err
	}
	if len(p.Learned) == 0 {
		return nil
	}
	return putPause(t, w, *p)
}

// pause returns the pause that stands; nil: none.
func (s *Store) pause(ctx context.Context, connectionID string) (*Pressure, error) {
	row, err := s.pauseRow(ctx, connectionID, "reason", "run_id", "at_us", "until_us")
	if err != nil || row.UntilUS == 0 {
		return nil, err
	}
	return &Pressure{Reason: row.Reason, RunID: row.RunID, At: db.Time(row.AtUS), NextAttempt: db.Time(row.UntilUS)}, nil
}

// Learned returns what earlier runs of a connection learned of its provider's pace; nil: nothing.
func (s *Store) Learned(ctx context.Context, connectionID string) ([]byte, error) {
	row, err := s.pauseRow(ctx, connectionID, "learned")
	if err != nil || row.Learned == "" {
		return nil, err
	}
	return []byte(row.Learned), nil
}

// pauseRow reads columns of the row of a connection's pause; zero: there is none.
func (s *Store) pauseRow(ctx context.Context, connectionID string, columns ...string) (row tables.PauseRow, err error) {
	err = s.db.Read.NewSelect().Model(&row).Column(columns...).Where("connection_id = ?", connectionID).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, nil
	}
	return row, s.db.Fail("read what was learned of a provider's pace", err)
}
