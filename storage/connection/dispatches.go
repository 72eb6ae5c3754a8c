package connection

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// KeptDispatches is how many records of skips and refusals a connection keeps.
const KeptDispatches = 200

// Dispatch is a time at which the scheduler would have run a connection and did
// not, or could not. Equal ones in a row are one record.
type Dispatch struct {
	ConnectionID string
	Trigger      string
	Status       string // skipped or refused
	Reason       string
	Identity     string    // what makes two of them equal, besides status and reason
	Says         string    // a refusal's own words, as health.Sentence leaves them
	Until        time.Time // when it is looked at again; zero: when something changes
	// Holds says what ends it, where the connection's health depends on it: the
	// evidence keeps it until a run begins. "": nothing is held, and what another one
	// holds goes on.
	Holds stored.HoldKind
	// PutRight says that the owner has done what older ones waited for: they hold
	// nothing any more.
	PutRight bool
	// AfterRun numbers the newest run that was looked at; 0: there was none. Equal
	// numbers have no run between them.
	AfterRun int64
	FirstAt  time.Time // of the equal ones
	LastAt   time.Time
	Count    int64
}

// RecordDispatch keeps what was skipped or refused now, and reports whether it is another one
// than the connection's newest. A dispatch from before the newest run began is not kept: the
// run says more.
func (s *Store) RecordDispatch(ctx context.Context, d Dispatch) (fresh bool, err error) {
	err = s.db.Alone(ctx, "keep the dispatch", func(t *db.Tx) error {
		if err := exists(t, d.ConnectionID); err != nil {
			return err
		}
		run, err := evidence.GatherIn(t).NewestRun(d.ConnectionID)
		if err != nil || run != d.AfterRun {
			return err
		}
		if d.PutRight {
			if err := clearOwnerHolds(t, d.ConnectionID); err != nil {
				return err
			}
		}
		var newest []tables.DispatchRow
		err = t.DB.NewSelect().Model(&newest).Where("connection_id = ? AND status <> ?", d.ConnectionID, statusTurnedAway).Order("pk DESC").Limit(1).Scan(t.Ctx)
		if err != nil {
			return err
		}
		row := tables.DispatchRow{
			ConnectionID: d.ConnectionID, Trigger: d.Trigger, Status: d.Status, Reason: d.Reason, Identity: d.Identity,
			FirstUS: db.Micros(t.Now), LastUS: db.Micros(t.Now), Count: 1, Holds: string(d.Holds), AfterRun: run,
			Says: health.Sentence(d.Says), // the one place where these words enter
		}
		if !d.Until.IsZero() {
			row.UntilUS = db.Micros(d.Until)
		}
		if len(newest) > 0 && newest[0].Status == d.Status && newest[0].Reason == d.Reason && newest[0].Identity == d.Identity {
			row.PK, row.FirstUS, row.Count = newest[0].PK, newest[0].FirstUS, newest[0].Count+1
			if _, err = t.DB.NewUpdate().Model(&row).WherePK().Exec(t.Ctx); err != nil {
				return err
			}
			return updateHold(t, d.ConnectionID)
		}
		fresh = true
		if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
			return err
		}
		return updateHold(t, d.ConnectionID)
	})
	return fresh && err == nil, err
}

// clearOwnerHolds lifts the holds that waited for the owner, who has acted.
func clearOwnerHolds(t *db.Tx, connectionID string) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE dispatches SET holds = '' WHERE connection_id = ? AND holds = ?", connectionID, string(stored.HeldForOwner))
	return err
}

// updateHold writes to the evidence the dispatch that holds the connection now, and deletes
// all dispatches but that one and the newest.
func updateHold(t *db.Tx, connectionID string) error {
	c, err := evidence.ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	row, err := evidence.GatherIn(t).Holding(connectionID)
	if err != nil {
		return err
	}
	c.Facts.Hold = nil
	held := int64(0)
	if row != nil {
		c.Facts.Hold, held = row.Hold(), row.PK
	}
	_, err = t.DB.ExecContext(t.Ctx, `DELETE FROM dispatches WHERE connection_id = ? AND pk <> ? AND pk NOT IN
(SELECT pk FROM dispatches WHERE connection_id = ? ORDER BY pk DESC LIMIT ?)`, connectionID, held, connectionID, KeptDispatches)
	return err
}

// Dispatches returns a connection's newest records of skips and refusals,
// newest first. limit 0 is all of them.
func (s *Store) Dispatches(ctx context.Context, connectionID string, limit int) ([]Dispatch, error) {
	var rows []tables.DispatchRow
	q := s.db.Read.NewSelect().Model(&rows).Where("connection_id = ? AND status <> ?", connectionID, statusTurnedAway).Order("pk DESC")
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the dispatches", err)
	}
	return publicDispatches(rows), nil
}

func publicDispatches(rows []tables.DispatchRow) []Dispatch {
	out := make([]Dispatch, len(rows))
	for i, r := range rows {
		out[i] = Dispatch{
			ConnectionID: r.ConnectionID, Trigger: r.Trigger, Status: r.Status, Reason: r.Reason, Identity: r.Identity,
			Until: db.Time(r.UntilUS), FirstAt: db.Time(r.FirstUS), LastAt: db.Time(r.LastUS), Count: r.Count,
			Holds: stored.HoldKind(r.Holds), AfterRun: r.AfterRun, Says: r.Says,
		}
	}
	return out
}

// Refusals returns what was refused last and begun by no run since, of the connection with
// that id, or of every connection where it is "", by its id. A later skip does not hide one
// that waits for its owner.
func (s *Store) Refusals(ctx context.Context, connectionID string) ([]Dispatch, error) {
	var rows []tables.DispatchRow
	q := s.db.Read.NewSelect().Model(&rows).Where("status = ?", statusRefused).
		Where("pk = (SELECT max(d.pk) FROM dispatches AS d WHERE d.connection_id = dispatch_row.connection_id AND d.status <> ? AND (d.status = ? OR dispatch_row.holds <> ?))",
			statusTurnedAway, statusRefused, string(stored.HeldForOwner)).
		Where("after_run = (SELECT coalesce(max(r.pk), 0) FROM runs AS r WHERE r.connection_id = dispatch_row.connection_id)").
		Order("connection_id")
	if connectionID != "" {
		q = q.Where("connection_id = ?", connectionID)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the refusals", err)
	}
	return publicDispatches(rows), nil
}

const statusRefused = "refused"

// confirmationRow owes a connection one confirming run (HL-26). It is never
// taken back: it is paid once a run that began after it has ended.
type confirmationRow struct {
	bun.BaseModel `bun:"table:confirmations"`

	ConnectionID string `bun:"connection_id,pk"`
	Action       string `bun:"action,pk"`
	Version      string `bun:"version,pk"`
	AtUS         int64  `bun:"at_us"`
}

// ClaimConfirmation keeps that a confirming run of the connection is owed for an
// action that was done, as a version of the evidence shows. It reports true once
// for the three, whoever asks and however often; once more where that was in what is
// the future by now, since nothing that was owed then is.
func (s *Store) ClaimConfirmation(ctx context.Context, connectionID, action, version string) (bool, error) {
	key := confirmationRow{ConnectionID: connectionID, Action: action, Version: version}
	// Asked first without the write lock: most of the time nothing is new.
	known, err := s.db.Read.NewSelect().Model(&key).WherePK().Where("at_us <= ?", db.Micros(s.db.Now())).Exists(ctx)
	if err != nil || known {
		return false, s.db.Fail("read the confirming run", err)
	}
	fresh := false
	err = s.db.Alone(ctx, "owe a confirming run", func(t *db.Tx) error {
		if err := exists(t, connectionID); err != nil {
			return err
		}
		key.AtUS = db.Micros(t.Now)
		res, err := t.DB.NewInsert().Model(&key).On("CONFLICT (connection_id, action, version) DO UPDATE").
			Set("at_us = EXCLUDED.at_us").Where("confirmation_row.at_us > EXCLUDED.at_us").Exec(t.Ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if fresh = n == 1; err == nil && fresh {
			_, err = evidence.ChangeOf(t, connectionID) // it is examined again
		}
		return err
	})
	return fresh && err == nil, err
}

// Server is the process that schedules the runs of a store.
type Server struct {
	Holder    string
	Since     time.Time
	ExpiresAt time.Time
	// Origin is what a browser reaches it at; "": it listens nowhere, or has not said so.
	Origin string
}

// servingID is the one row's key: a store has one server.
const servingID = 1

type servingRow struct {
	bun.BaseModel `bun:"table:serving"`

	ID        int64  `bun:"id,pk"`
	Holder    string `bun:"holder"`
	SinceUS   int64  `bun:"since_us"`
	ExpiresUS int64  `bun:"expires_us"`
	Origin    string `bun:"origin"`
}

func (r *servingRow) public() *Server {
	return &Server{r.Holder, db.Time(r.SinceUS), db.Time(r.ExpiresUS), r.Origin}
}

// Serve makes holder the store's one server for ttl, or keeps it so. It returns
// the server there is instead, as long as alive says so and its time has not
// passed; alive is called inside the write transaction and must be quick.
func (s *Store) Serve(ctx context.Context, holder string, ttl time.Duration, alive func(holder string) bool) (other *Server, err error) {
	err = s.db.Alone(ctx, "serve", func(t *db.Tx) error {
		if err := tables.NoteClock(t); err != nil {
			return err
		}
		var rows []servingRow
		if err := t.DB.NewSelect().Model(&rows).Where("id = ?", servingID).Scan(t.Ctx); err != nil {
			return err
		}
		row := servingRow{ID: servingID, Holder: holder, SinceUS: db.Micros(t.Now), ExpiresUS: db.Micros(t.Now.Add(ttl))}
		if len(rows) > 0 {
			old := rows[0]
			// An end far further ahead than any server sets it comes from a clock that was
			// put back since; one that was set right by a little takes nobody's turn.
			current := db.Micros(t.Now) < old.ExpiresUS && old.ExpiresUS <= db.Micros(t.Now.Add(2*ttl))
			switch {
			case old.Holder == holder:
				row.SinceUS, row.Origin = old.SinceUS, old.Origin
			case old.Holder != "" && current && alive(old.Holder):
				other = old.public()
				return nil
			}
		}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").
			Set("holder = EXCLUDED.holder, since_us = EXCLUDED.since_us, expires_us = EXCLUDED.expires_us, origin = EXCLUDED.origin").Exec(t.Ctx)
		return err
	})
	return other, err
}

// Serving returns who serves the store, or did when it was last heard of and did
// not end it; nil: nobody, as far as is known.
func (s *Store) Serving(ctx context.Context) (*Server, error) {
	var row servingRow
	err := s.db.QueryRow(ctx, "SELECT holder, since_us, expires_us, origin FROM serving WHERE id = ?", []any{servingID}, &row.Holder, &row.SinceUS, &row.ExpiresUS, &row.Origin)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil //nolint:nilnil // nobody serves
	case err != nil:
		return nil, s.db.Fail("read who serves", err)
	}
	return row.public(), nil
}

// ServesAt keeps what a browser reaches the store's server at, if holder is that.
func (s *Store) ServesAt(ctx context.Context, holder, origin string) error {
	return s.db.Alone(ctx, "keep where the server is", func(t *db.Tx) error {
		_, err := t.DB.NewUpdate().Model((*servingRow)(nil)).Set("origin = ?", origin).Where("id = ? AND holder = ?", servingID, holder).Exec(t.Ctx)
		return err
	})
}

// StopServing ends holder's time as the store's server, if it is that.
func (s *Store) StopServing(ctx context.Context, holder string) error {
	return s.db.Alone(ctx, "stop serving", func(t *db.Tx) error {
		_, err := t.DB.NewDelete().Model((*servingRow)(nil)).Where("id = ? AND holder = ?", servingID, holder).Exec(t.Ctx)
		return err
	})
}
