package connection

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

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
	Schedule       Schedule
	Due            Due        // zero: none was kept
	Runs           []RunEnd   // the newest, newest first
	Dispatches     []Dispatch // likewise; what was skipped or refused
	Held           *Dispatch  // the one that holds the connection, see Dispatch.Holds; nil: none does
	Lease          *Lease     // nil: no run holds one
	Adopted        bool       // a schedule is kept, see AdoptSchedule
	ConfirmOwed    time.Time  // when the newest confirming run became owed, not in the future; zero: never
	SignedInByHand time.Time  // likewise, of the action of that name, which ConfirmOwed leaves out
	// SignedOut is when a credential was removed that the connector requires and the
	// newest run that counts could use, whether there is another by now or not; zero:
	// none was.
	SignedOut time.Time
}

// SignedInByHand is the action of an owner who has signed in at a connection's site herself.
const SignedInByHand = "signed_in_by_hand"

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
	for which, at := range map[string]*time.Time{"action <> ?": &out.ConfirmOwed, "action = ?": &out.SignedInByHand} {
		var owed []confirmationRow
		// A confirmation in the future comes from a clock that was put back, and would hide all
		// others.
		err = s.db.Read.NewSelect().Model(&owed).Where("connection_id = ? AND at_us <= ?", connectionID, db.Micros(s.db.Now())).
			Where(which, SignedInByHand).Order("at_us DESC").Limit(1).Scan(ctx)
		if err != nil {
			return out, s.db.Fail(what, err)
		}
		if len(owed) > 0 {
			*at = db.Time(owed[0].AtUS)
		}
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
