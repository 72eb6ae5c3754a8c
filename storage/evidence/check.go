package evidence

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// CheckEvidence makes every connection's evidence again from what is stored and
// returns the names of those whose row says something else, by name. It changes
// nothing.
func (s *Store) CheckEvidence(ctx context.Context) ([]string, error) {
	var differ []string
	err := s.Snapshot(ctx, func(g Gatherer) error {
		var all []tables.ConnectionRow
		if err := g.db.NewSelect().Model(&all).Column("id", "name", "connector", "options", "roots", "read_roots").Order("name").Scan(g.ctx); err != nil {
			return err
		}
		for i := range all {
			same, err := g.sameEvidence(&all[i], s.db.Now())
			if err != nil {
				return err
			}
			if !same {
				differ = append(differ, all[i].Name)
			}
		}
		return nil
	})
	return differ, s.db.Fail("check the evidence", err)
}

// sameEvidence reports whether a connection's row and its standings are what is made of
// everything that is stored of it. Fields that depend on when the row was written are left
// out.
func (g Gatherer) sameEvidence(c *tables.ConnectionRow, now time.Time) (bool, error) {
	var row Row
	err := g.db.NewSelect().Model(&row).Where("connection_id = ?", c.ID).Scan(g.ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	facts, retained, err := g.All(c.ID)
	if err != nil {
		return false, err
	}
	made := Row{ConnectionID: c.ID, Name: c.Name, Connector: c.Connector, Revision: row.Revision, Retained: retained}
	if err := made.encodeFacts(facts, now); err != nil {
		return false, err
	}
	made.NextChangeUS, made.ExamineUS, made.Changed = row.NextChangeUS, row.ExamineUS, row.Changed
	if made != row {
		return false, nil
	}
	var kept []standingRow
	if err := g.db.NewSelect().Model(&kept).Where("connection_id = ?", c.ID).Order("from_us").Scan(g.ctx); err != nil {
		return false, err
	}
	if c.Unreadable() {
		return len(kept) == 0, nil
	}
	return standsFor(kept, made.facts(), now), nil
}

// standsFor reports whether the standings are those of the facts at now and at
// every later moment that they are of. Before they begin, since a clock was put back,
// they say nothing.
func standsFor(kept []standingRow, f *stored.Facts, now time.Time) bool {
	if f.Running() || len(kept) == 0 {
		return f.Running() && len(kept) == 0
	}
	made := Standings("", f, now)
	held := func(rows []standingRow, us int64) (standingRow, bool) {
		for _, r := range rows {
			if r.FromUS <= us && us < r.UntilUS {
				return standingRow{Tone: r.Tone, Channel: r.Channel, Stalled: r.Stalled, Records: r.Records}, true
			}
		}
		return standingRow{}, false
	}
	for _, r := range made {
		us := max(r.FromUS, db.Micros(now))
		a, ok := held(kept, us)
		if b, _ := held(made, us); ok && a != b || !ok && us >= kept[0].FromUS {
			return false
		}
	}
	return true
}

// RepairEvidence makes the evidence of the connection of that name again.
func (s *Store) RepairEvidence(ctx context.Context, name string) error {
	return s.db.Alone(ctx, "repair the evidence", func(t *db.Tx) error {
		c, err := tables.FindConnection(t.Ctx, t.DB, name)
		if err != nil {
			return err
		}
		return replaceEvidence(t, c)
	})
}

// replaceEvidence makes a row anew, also where there is none.
func replaceEvidence(t *db.Tx, c *tables.ConnectionRow) error {
	known, err := t.DB.NewSelect().Model((*Row)(nil)).Where("connection_id = ?", c.ID).Exists(t.Ctx)
	if err != nil {
		return err
	}
	if !known {
		if err := InsertRow(t, c); err != nil {
			return err
		}
	}
	change, err := ChangeOf(t, c.ID)
	if err != nil {
		return err
	}
	change.row.Name, change.row.Connector, change.remade = c.Name, c.Connector, true
	return nil
}

// Fill makes the evidence of connections that have none, or one of
// another format: those of a store from before it was kept.
func (s *Store) Fill(ctx context.Context) error {
	var ids []string
	err := s.db.Read.NewRaw(`SELECT c.id FROM connections c LEFT JOIN evidence e ON e.connection_id = c.id
WHERE e.connection_id IS NULL OR e.format <> ?`, Format).Scan(ctx, &ids)
	if err != nil {
		return s.db.Fail("read the evidence", err)
	}
	for _, id := range ids {
		err := s.db.Alone(ctx, "make the evidence", func(t *db.Tx) error {
			var c tables.ConnectionRow
			err := t.DB.NewSelect().Model(&c).Where("id = ?", id).Scan(t.Ctx)
			if errors.Is(err, sql.ErrNoRows) {
				return nil // removed meanwhile
			}
			if err != nil {
				return err
			}
			return replaceEvidence(t, &c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
