package tables

import (
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// ClockSlack is how far a clock is put back without its being noticed: clocks that are set
// by a network's time are put right by seconds, and two machines of one store differ by as
// much.
const ClockSlack = 5 * time.Minute

// ClockRow is what the clocks of those that write have shown. A store has one row.
type ClockRow struct {
	bun.BaseModel `bun:"table:clock"`

	ID       int64 `bun:"id,pk"`
	LatestUS int64 `bun:"latest_us"` // since it last went back
	BackUS   int64 `bun:"back_us"`   // when it was seen to have gone back, by the clock of then; 0: never
	ByUS     int64 `bun:"by_us"`
}

// At returns the row as it is at a moment: one that is earlier than what was seen before
// is when the clock went back.
func (r ClockRow) At(now time.Time) ClockRow {
	us := db.Micros(now)
	if by := r.LatestUS - us; by > ClockSlack.Microseconds() {
		return ClockRow{ID: r.ID, LatestUS: us, BackUS: us, ByUS: by}
	}
	r.LatestUS = max(r.LatestUS, us)
	return r
}

// NoteClock keeps what the clock shows in this transaction.
func NoteClock(t *db.Tx) error {
	row := ClockRow{ID: 1}
	err := t.DB.NewSelect().Model(&row).WherePK().Scan(t.Ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		row.LatestUS = db.Micros(t.Now)
		_, err = t.DB.NewInsert().Model(&row).Exec(t.Ctx)
		return err
	case err != nil:
		return err
	}
	next := row.At(t.Now)
	if next == row {
		return nil
	}
	_, err = t.DB.NewUpdate().Model(&next).WherePK().Exec(t.Ctx)
	return err
}
