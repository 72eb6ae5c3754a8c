package run

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

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
