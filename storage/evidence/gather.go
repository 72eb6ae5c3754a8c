package evidence

import (
	"math"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

func gatherEvidence(t *db.Tx, id string) (*stored.Facts, int64, error) { return GatherIn(t).All(id) }

func gatherPressure(t *db.Tx, id string, f *stored.Facts) error {
	return GatherIn(t).pressure(id, f)
}

func gatherFloors(t *db.Tx, id string, f *stored.Facts) error { return GatherIn(t).floors(id, f) }

func settleFacts(t *db.Tx, f *stored.Facts, row *tables.RunRow) error {
	return GatherIn(t).addSettledRun(f, row)
}

// All makes a connection's document from everything that is stored of it, and
// counts its records.
func (g Gatherer) All(id string) (*stored.Facts, int64, error) {
	f := &stored.Facts{}
	var c tables.ConnectionRow
	if err := g.db.NewSelect().Model(&c).Where("id = ?", id).Scan(g.ctx); err != nil {
		return nil, 0, err
	}
	if err := AcceptManifest(f, c.PinnedManifest); err != nil {
		f.Unreadable = append(f.Unreadable, unreadableManifest)
	}
	if f.Manifest != nil {
		f.Manifest.Module = c.PinnedSHA256
	}
	last, err := g.runs(id, f)
	if err != nil {
		return nil, 0, err
	}
	if last != nil {
		if err := g.addSettledRun(f, last); err != nil {
			return nil, 0, err
		}
	}
	if err := g.gaps(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.rejected(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.unread(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.pressure(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.credential(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.schedule(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.hold(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.addOpenAttention(f); err != nil {
		return nil, 0, err
	}
	if err := g.addSurface(f); err != nil {
		return nil, 0, err
	}
	if err := g.devices(id, f); err != nil {
		return nil, 0, err
	}
	if err := g.stores(id, f); err != nil {
		return nil, 0, err
	}
	var retained int64
	err = g.db.QueryRowContext(g.ctx, "SELECT coalesce(sum(live), 0) FROM streams WHERE connection_id = ? AND removed = 0 AND name <> ?", id, abi.StreamCoverage).Scan(&retained)
	return f, retained, err
}

// runs replays the connection's runs, and returns the one that settled it.
func (g Gatherer) runs(id string, f *stored.Facts) (settled *tables.RunRow, err error) {
	for after := int64(0); ; {
		var rows []tables.RunRow
		// Without the results, which nothing here reads.
		err := g.db.NewSelect().Model(&rows).ExcludeColumn("result").Where("connection_id = ? AND pk > ?", id, after).
			Order("pk").Limit(tables.EachPage).Scan(g.ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if rows[i].Status == tables.StatusRunning {
				BeginRun(f, &rows[i])
				continue
			}
			EndRun(f, &rows[i])
			if Settles(&rows[i]) {
				settled = &rows[i]
			}
		}
		if len(rows) < tables.EachPage {
			return settled, nil
		}
		after = rows[len(rows)-1].PK
	}
}

// addSettledRun keeps what the connection's settled run says besides how it ended.
func (g Gatherer) addSettledRun(f *stored.Facts, row *tables.RunRow) error {
	var committed, drained int64
	err := g.db.QueryRowContext(g.ctx, "SELECT coalesce(sum(added + changed + deleted), 0) FROM run_streams WHERE run_pk = ?", row.PK).Scan(&committed)
	if err != nil {
		return err
	}
	err = g.db.QueryRowContext(g.ctx, "SELECT count(*) FROM gaps WHERE connection_id = ? AND status = ? AND recovered_run_id = ?",
		row.ConnectionID, tables.GapRecovered, row.RunID).Scan(&drained)
	if err != nil {
		return err
	}
	f.Committed, f.Drained = &committed, &drained
	var lanes []tables.CoverageRow
	if err := g.db.NewSelect().Model(&lanes).Where("run_pk = ?", row.PK).Order("stream", "state_stream").Scan(g.ctx); err != nil {
		return err
	}
	f.Accounts = nil
	for i := range lanes {
		if f.Accounts == nil {
			f.Accounts = map[string]*stored.StreamAccount{}
		}
		a := f.Accounts[lanes[i].Stream]
		if a == nil {
			a = &stored.StreamAccount{}
			f.Accounts[lanes[i].Stream] = a
		}
		account(a, &lanes[i])
	}
	return nil
}

// account adds a lane's account to its stream's: a flat stream's own denominator, else a
// detail lane's keys. A lane without a count stays uncounted.
func account(a *stored.StreamAccount, lane *tables.CoverageRow) {
	considered, collected := lane.Considered, lane.Covered
	if considered == nil && lane.Required > 0 {
		considered, collected = &lane.Required, &lane.Hydrated
	}
	add(&a.Considered, considered)
	add(&a.Collected, collected)
}

func add(to **int64, n *int64) {
	switch {
	case n == nil:
	case *to == nil:
		sum := *n
		*to = &sum
	default:
		**to += min(*n, math.MaxInt64-**to) // no count is negative
	}
}
