package connection

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Schedule is the owner's choice of when a connection runs by itself.
type Schedule struct {
	ConnectionID string
	Mode         string        // "": as the manifest recommends; else automatic or manual
	Every        time.Duration // 0: as the manifest recommends
	Paused       bool
	PausedAt     time.Time // the last time; zero: never
	ResumedAt    time.Time // likewise
}

// Due is when a connection is to run next. Basis says what it was worked out
// from: another basis asks for another time.
type Due struct {
	Basis string
	At    time.Time
}

type dueRow struct {
	bun.BaseModel `bun:"table:due_times"`

	ConnectionID string `bun:"connection_id,pk"`
	Basis        string `bun:"basis"`
	DueUS        int64  `bun:"due_us"`
}

// Schedule returns the owner's choice for a connection, the zero Schedule before one was
// made.
func (s *Store) Schedule(ctx context.Context, connectionID string) (Schedule, error) {
	sched, _, err := s.schedule(ctx, connectionID)
	return sched, err
}

// Schedules returns the owner's choices for some connections, by their ids. One without a choice
// is left out.
func (s *Store) Schedules(ctx context.Context, ids []string) (map[string]Schedule, error) {
	out := map[string]Schedule{}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []tables.ScheduleRow
	if err := s.db.Read.NewSelect().Model(&rows).Where("connection_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, s.db.Fail("read the schedules", err)
	}
	for i := range rows {
		out[rows[i].ConnectionID] = scheduleOf(&rows[i])
	}
	return out, nil
}

// schedule also reports whether one is kept.
func (s *Store) schedule(ctx context.Context, connectionID string) (sched Schedule, known bool, err error) {
	row := tables.ScheduleRow{ConnectionID: connectionID}
	err = s.db.Read.NewSelect().Model(&row).WherePK().Scan(ctx)
	known = err == nil
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return scheduleOf(&row), known, s.db.Fail("read the schedule", err)
}

func scheduleOf(row *tables.ScheduleRow) Schedule {
	return Schedule{
		ConnectionID: row.ConnectionID, Mode: row.Mode, Every: time.Duration(row.EveryUS) * time.Microsecond,
		Paused: row.Paused, PausedAt: db.Time(row.PausedUS), ResumedAt: db.Time(row.ResumedUS),
	}
}

// PutSchedule keeps the owner's choice. When it pauses or resumes, the store
// keeps when that was; the two instants of sched are not read.
func (s *Store) PutSchedule(ctx context.Context, sched Schedule) error {
	return s.ReplaceSchedule(ctx, nil, sched)
}

// CodeEdited reports that something is not any more what a change was made of.
const CodeEdited abi.Code = "connection.edited"

// ReplaceSchedule is PutSchedule provided that the owner's choice is still the one that was
// read; nil: whichever it is. Otherwise the error is connection.edited.
func (s *Store) ReplaceSchedule(ctx context.Context, was *Schedule, sched Schedule) error {
	return s.db.Alone(ctx, "keep the schedule", func(t *db.Tx) error {
		if err := exists(t, sched.ConnectionID); err != nil {
			return err
		}
		row := tables.ScheduleRow{ConnectionID: sched.ConnectionID}
		err := t.DB.NewSelect().Model(&row).WherePK().Scan(t.Ctx)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if was != nil && *was != scheduleOf(&row) {
			return abi.NewError(CodeEdited, "the schedule was changed meanwhile", "look at it again, and repeat what is still meant")
		}
		switch {
		case sched.Paused && !row.Paused:
			row.PausedUS = db.Micros(t.Now)
		case !sched.Paused && row.Paused:
			row.ResumedUS = db.Micros(t.Now)
		}
		row.Mode, row.EveryUS, row.Paused = sched.Mode, sched.Every.Microseconds(), sched.Paused
		_, err = t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id) DO UPDATE").
			Set("mode = EXCLUDED.mode, every_us = EXCLUDED.every_us, paused = EXCLUDED.paused").
			Set("paused_us = EXCLUDED.paused_us, resumed_us = EXCLUDED.resumed_us").Exec(t.Ctx)
		if err != nil {
			return err
		}
		return evidence.RebuildAtCommit(t, sched.ConnectionID)
	})
}

// exists refuses a connection that was removed meanwhile.
func exists(t *db.Tx, connectionID string) error {
	known, err := t.DB.NewSelect().Model((*tables.ConnectionRow)(nil)).Where("id = ?", connectionID).Exists(t.Ctx)
	if err == nil && !known {
		return tables.UnknownConnection(connectionID)
	}
	return err
}

// AdoptSchedule keeps that the connection runs by itself as its manifest
// recommends, where its owner has said nothing about it. Until then nobody knows
// that anything runs it.
func (s *Store) AdoptSchedule(ctx context.Context, connectionID string) error {
	return s.db.Alone(ctx, "adopt the connection", func(t *db.Tx) error {
		if err := exists(t, connectionID); err != nil {
			return err
		}
		row := tables.ScheduleRow{ConnectionID: connectionID}
		known, err := t.DB.NewSelect().Model(&row).WherePK().Exists(t.Ctx)
		if err != nil || known {
			return err
		}
		if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
			return err
		}
		return evidence.RebuildAtCommit(t, connectionID)
	})
}

// PutDue keeps when a connection is to run next.
func (s *Store) PutDue(ctx context.Context, connectionID string, due Due) error {
	return s.db.Alone(ctx, "keep the due time", func(t *db.Tx) error {
		if err := exists(t, connectionID); err != nil {
			return err
		}
		row := dueRow{ConnectionID: connectionID, Basis: due.Basis, DueUS: db.Micros(due.At)}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id) DO UPDATE").
			Set("basis = EXCLUDED.basis, due_us = EXCLUDED.due_us").Exec(t.Ctx)
		return err
	})
}
