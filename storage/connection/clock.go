package connection

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Clock says how the clock of those that write to the store has gone.
type Clock struct {
	BackAt time.Time     // when it was last seen to have gone back, by the clock of then; zero: never
	By     time.Duration // how far
}

// Clock returns how the clock has gone, as of now: one that shows an earlier time than the
// store has seen has gone back just now, and goes on having done so once NoteClock kept it.
func (s *Store) Clock(ctx context.Context) (Clock, error) {
	row := tables.ClockRow{ID: 1}
	err := s.db.QueryRow(ctx, "SELECT latest_us, back_us, by_us FROM clock WHERE id = ?", []any{row.ID}, &row.LatestUS, &row.BackUS, &row.ByUS)
	if errors.Is(err, sql.ErrNoRows) {
		return Clock{}, nil
	}
	if err != nil {
		return Clock{}, s.db.Fail("read the clock", err)
	}
	row = row.At(s.db.Now())
	return Clock{db.Time(row.BackUS), time.Duration(row.ByUS) * time.Microsecond}, nil
}

// NoteClock keeps what the clock shows now.
func (s *Store) NoteClock(ctx context.Context) error {
	return s.db.Alone(ctx, "keep what the clock shows", tables.NoteClock)
}
