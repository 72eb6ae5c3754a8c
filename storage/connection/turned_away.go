package connection

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// statusTurnedAway is the status of starts that were refused for a reason that says nothing of their
// connection. Neither its health nor its schedule looks at them.
const statusTurnedAway = "turned_away"

// KeptTurnedAway is how many of them a connection keeps.
const KeptTurnedAway = 20

// TurnedAway are starts of a connection that were refused for one reason that says nothing of it: a
// full disk, a run that goes on, a keyring that does not answer.
type TurnedAway struct {
	ConnectionID string
	Trigger      string // of the last one
	Reason       string
	Says         string // the last refusal's own words, as health.Sentence leaves them
	FirstAt      time.Time
	LastAt       time.Time
	Count        int64
}

// KeepTurnedAway adds starts that were refused. All of one connection for one reason are one record
// for as long as no run begins. Those of a connection that is gone are not kept.
func (s *Store) KeepTurnedAway(ctx context.Context, list []TurnedAway) error {
	if len(list) == 0 {
		return nil
	}
	return s.db.Alone(ctx, "keep what was refused", func(t *db.Tx) error {
		for i := range list {
			if err := keepTurnedAway(t, &list[i]); err != nil && abi.CodeOf(err) != abi.CodeConnectionUnknown {
				return err
			}
		}
		return nil
	})
}

func keepTurnedAway(t *db.Tx, a *TurnedAway) error {
	if err := exists(t, a.ConnectionID); err != nil {
		return err
	}
	run, err := evidence.GatherIn(t).NewestRun(a.ConnectionID)
	if err != nil {
		return err
	}
	row := tables.DispatchRow{
		ConnectionID: a.ConnectionID, Trigger: a.Trigger, Status: statusTurnedAway, Reason: a.Reason, FirstUS: db.Micros(a.FirstAt), LastUS: db.Micros(a.LastAt),
		Count: a.Count, AfterRun: run, Says: health.Sentence(a.Says),
	}
	var same []tables.DispatchRow
	err = t.DB.NewSelect().Model(&same).
		Where("connection_id = ? AND status = ? AND reason = ? AND after_run = ?", a.ConnectionID, statusTurnedAway, a.Reason, run).Limit(1).Scan(t.Ctx)
	if err != nil {
		return err
	}
	if len(same) > 0 {
		row.PK, row.Count = same[0].PK, row.Count+same[0].Count
		row.FirstUS, row.LastUS = min(row.FirstUS, same[0].FirstUS), max(row.LastUS, same[0].LastUS)
		_, err = t.DB.NewUpdate().Model(&row).WherePK().Exec(t.Ctx)
		return err
	}
	if _, err = t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, `DELETE FROM dispatches WHERE connection_id = ? AND status = ? AND pk NOT IN
(SELECT pk FROM dispatches WHERE connection_id = ? AND status = ? ORDER BY pk DESC LIMIT ?)`,
		a.ConnectionID, statusTurnedAway, a.ConnectionID, statusTurnedAway, KeptTurnedAway)
	return err
}

// TurnedAway returns the starts that were refused, the last of them at a time from since until before
// until, of the connection with that id, or of every connection where it is "": a record for each
// connection and reason.
func (s *Store) TurnedAway(ctx context.Context, connectionID string, since, until time.Time) ([]TurnedAway, error) {
	var rows []tables.DispatchRow
	q := s.db.Read.NewSelect().Model(&rows).Where("status = ?", statusTurnedAway).Order("connection_id", "pk")
	if connectionID != "" {
		q = q.Where("connection_id = ?", connectionID)
	}
	if !since.IsZero() {
		q = q.Where("last_us >= ?", db.Micros(since))
	}
	if !until.IsZero() {
		q = q.Where("last_us < ?", db.Micros(until))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read what was refused", err)
	}
	type key struct{ connection, reason string }
	var all []TurnedAway
	at := map[key]int{}
	for i := range rows {
		r := &rows[i]
		a := TurnedAway{r.ConnectionID, r.Trigger, r.Reason, r.Says, db.Time(r.FirstUS), db.Time(r.LastUS), r.Count}
		k := key{a.ConnectionID, a.Reason}
		if n, known := at[k]; known {
			a.FirstAt, a.Count = all[n].FirstAt, a.Count+all[n].Count
			all[n] = a
			continue
		}
		at[k] = len(all)
		all = append(all, a)
	}
	return all, nil
}
