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

// RunEnd is a run as the scheduler looks at it. A run that goes on has status
// StatusRunning and no FinishedAt.
type RunEnd struct {
	RunID        string
	Number       int64 // grows with each run of the store, see Dispatch.AfterRun
	Status       string
	Reason       string
	Code         string // of the error
	Retryable    bool
	RecoveryHint string
	Holder       string
	StartedAt    time.Time
	FinishedAt   time.Time
}

// Lease says which run advances a connection's cursors.
type Lease struct {
	RunID     string
	Holder    string
	ExpiresAt time.Time
}

// Holds reports whether the lease's run may still go on. alive is as in NewRun.
func (l *Lease) Holds(now time.Time, alive func(holder string) bool) bool {
	return l != nil && tables.LeaseHolds(l.Holder, db.Micros(l.ExpiresAt), now, alive)
}

// ScheduleState is what is stored of one connection that its next run depends on.
type ScheduleState struct {
	Schedule     Schedule
	Due          Due        // zero: none was kept
	Runs         []RunEnd   // the newest, newest first
	Dispatches   []Dispatch // likewise; what was skipped or refused
	Held         *Dispatch  // the one that holds the connection, see Dispatch.Holds; nil: none does
	Lease        *Lease     // nil: no run holds one
	Adopted      bool       // a schedule is kept, see AdoptSchedule
	ConfirmOwed  time.Time  // when the newest confirming run became owed, not in the future; zero: never
	OwedIdentity string     // of the action that it is owed for
	// SignedOut is when a credential was removed that the connector requires and the
	// newest run that counts could use, whether there is another by now or not; zero:
	// none was.
	SignedOut time.Time
}

// Schedule returns the owner's choice for a connection, the zero Schedule before one was
// made.
func (s *Store) Schedule(ctx context.Context, connectionID string) (Schedule, error) {
	sched, _, err := s.schedule(ctx, connectionID)
	return sched, err
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

// ScheduleState returns what a connection's next run depends on, with at most
// limit runs and as many dispatches.
func (s *Store) ScheduleState(ctx context.Context, connectionID string, limit int) (ScheduleState, error) {
	const what = "read the schedule's state"
	var out ScheduleState
	var err error
	if out.Schedule, out.Adopted, err = s.schedule(ctx, connectionID); err != nil {
		return out, err
	}
	due := dueRow{ConnectionID: connectionID}
	switch err := s.db.Read.NewSelect().Model(&due).WherePK().Scan(ctx); {
	case err == nil:
		out.Due = Due{Basis: due.Basis, At: db.Time(due.DueUS)}
	case !errors.Is(err, sql.ErrNoRows):
		return out, s.db.Fail(what, err)
	}
	lease := tables.LeaseRow{ConnectionID: connectionID}
	switch err := s.db.Read.NewSelect().Model(&lease).WherePK().Scan(ctx); {
	case err == nil && lease.RunID != "":
		out.Lease = &Lease{RunID: lease.RunID, Holder: lease.Holder, ExpiresAt: db.Time(lease.ExpiresUS)}
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return out, s.db.Fail(what, err)
	}
	var owed []confirmationRow
	// A confirmation in the future comes from a clock that was put back, and would hide all
	// others.
	err = s.db.Read.NewSelect().Model(&owed).Where("connection_id = ? AND at_us <= ?", connectionID, db.Micros(s.db.Now())).
		Order("at_us DESC").Limit(1).Scan(ctx)
	if err != nil {
		return out, s.db.Fail(what, err)
	}
	if len(owed) > 0 {
		out.ConfirmOwed, out.OwedIdentity = db.Time(owed[0].AtUS), owed[0].Action
	}
	if out.SignedOut, err = s.credentials.SignedOut(ctx, connectionID); err != nil {
		return out, s.db.Fail(what, err)
	}
	if out.Runs, err = s.runEnds(ctx, connectionID, limit); err != nil {
		return out, s.db.Fail(what, err)
	}
	if out.Dispatches, err = s.Dispatches(ctx, connectionID, limit); err != nil {
		return out, err
	}
	held, err := evidence.NewGatherer(ctx, s.db.Read).Holding(connectionID)
	if held != nil {
		out.Held = &publicDispatches([]tables.DispatchRow{*held})[0]
	}
	return out, s.db.Fail(what, err)
}

func (s *Store) runEnds(ctx context.Context, connectionID string, limit int) ([]RunEnd, error) {
	var rows []tables.RunRow
	err := s.db.Read.NewSelect().Model(&rows).Column("pk", "run_id", "status", "reason", "error", "holder", "started_us", "finished_us").
		Where("connection_id = ?", connectionID).Order("pk DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]RunEnd, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = RunEnd{
			RunID: r.RunID, Number: r.PK, Status: r.Status, Reason: r.Reason, Holder: r.Holder, StartedAt: db.Time(r.StartedUS), FinishedAt: db.Time(r.FinishedUS),
		}
		e := tables.FailureOf(r)
		out[i].Code, out[i].Retryable, out[i].RecoveryHint = e.Code, e.Retryable, e.RecoveryHint
	}
	return out, nil
}
