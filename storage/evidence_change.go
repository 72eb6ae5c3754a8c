package storage

import (
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// evidenceChange is one connection's evidence within a transaction: read with
// its first fact, written once with all of them before the commit.
type evidenceChange struct {
	row    evidenceRow
	facts  *health.Stored
	ended  *runRow // a run that this transaction ended; of several, the last that counts
	gaps   bool    // gaps changed: their floors are asked again
	remade bool    // the document is to be made again from all there is

	rejected bool // records were rejected, or rejected ones arrived

	devices bool // a device, or what it said, changed
	stores  bool // a device's coverage records changed
}

type changesKey struct{}

// changes are the transaction's changes of evidence, by connection.
func changes(t *db.Tx) map[string]*evidenceChange {
	return db.State(t, changesKey{}, func() map[string]*evidenceChange {
		all := map[string]*evidenceChange{}
		t.BeforeCommit(db.Summaries, func() error { return saveEvidence(t, all) })
		return all
	})
}

// evidence returns the connection's evidence for a change of it.
func evidence(t *db.Tx, connectionID string) (*evidenceChange, error) {
	changed := changes(t)
	if c := changed[connectionID]; c != nil {
		return c, nil
	}
	c := &evidenceChange{}
	err := t.DB.NewSelect().Model(&c.row).Where("connection_id = ?", connectionID).Scan(t.Ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, abi.NewError(abi.CodeInternal, "a connection has no evidence", "run `pdpp-host doctor --repair`")
	case err != nil:
		return nil, err
	}
	c.facts = c.row.facts()
	// What cannot be brought up to date is made again.
	c.remade = len(c.facts.Unreadable) > 0
	changed[connectionID] = c
	return c, nil
}

// newEvidence makes the row of a new connection.
func newEvidence(t *db.Tx, c *connectionRow) error {
	row := evidenceRow{ConnectionID: c.ID, Name: c.Name, Connector: c.Connector}
	if err := row.encodeFacts(&health.Stored{}, t.Now); err != nil {
		return err
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
		return err
	}
	_, err := evidence(t, c.ID) // so that its standing is written
	return err
}

// remakeEvidence has the connection's document made again before the commit: for
// facts that change too rarely to be worth following one by one, such as the
// accepted manifest, and the credentials.
func remakeEvidence(t *db.Tx, connectionID string) error {
	c, err := evidence(t, connectionID)
	if err != nil {
		return err
	}
	c.remade = true
	return nil
}

// runBegan and runEnded are the facts of a run.
func runBegan(t *db.Tx, row *runRow) error {
	c, err := evidence(t, row.ConnectionID)
	if err != nil {
		return err
	}
	beginRun(c.facts, row)
	return nil
}

// runEnded keeps the run; what depends on counts that are not written yet is
// done in saveEvidence.
func runEnded(t *db.Tx, row *runRow) error {
	c, err := evidence(t, row.ConnectionID)
	if err != nil {
		return err
	}
	endRun(c.facts, row)
	if c.ended == nil || counts(row) {
		c.ended = row
	}
	return nil
}

// gapMoved counts what a change of one gap does. before is nil for a new gap.
func gapMoved(t *db.Tx, before, after *gapRow) error {
	c, err := evidence(t, after.ConnectionID)
	if err != nil {
		return err
	}
	c.gaps = true
	if before != nil {
		countGap(c.facts, before, -1)
	}
	countGap(c.facts, after, 1)
	return nil
}

// saveEvidence writes what the transaction changed. It comes after the counters
// of streams and runs.
func saveEvidence(t *db.Tx, changed map[string]*evidenceChange) error {
	for id, c := range changed {
		if err := finishEvidence(t, id, c); err != nil {
			return err
		}
		if err := c.row.encodeFacts(c.facts, t.Now); err != nil {
			return err
		}
		c.row.ExamineUS = 0
		// Records and revisions are counted in the row itself, see retain.
		_, err := t.DB.NewUpdate().Model(&c.row).WherePK().ExcludeColumn("connection_id", "retained", "revision").Exec(t.Ctx)
		if err != nil {
			return err
		}
		if _, err := t.DB.ExecContext(t.Ctx, "UPDATE evidence SET revision = revision + 1 WHERE connection_id = ?", id); err != nil {
			return err
		}
		if err := stand(t, id, c.facts); err != nil {
			return err
		}
	}
	return nil
}

func finishEvidence(t *db.Tx, id string, c *evidenceChange) error {
	if c.remade {
		facts, retained, err := gatherEvidence(t, id)
		if err != nil {
			return err
		}
		c.facts = facts
		_, err = t.DB.ExecContext(t.Ctx, "UPDATE evidence SET retained = ? WHERE connection_id = ?", retained, id)
		return err
	}
	if c.ended != nil {
		if err := finishEnded(t, id, c); err != nil {
			return err
		}
	}
	if c.gaps {
		if err := gatherFloors(t, id, c.facts); err != nil {
			return err
		}
	}
	if c.rejected {
		if err := gathererIn(t).rejected(id, c.facts); err != nil {
			return err
		}
	}
	if c.devices {
		if err := gathererIn(t).devices(id, c.facts); err != nil {
			return err
		}
	}
	if c.stores {
		return gathererIn(t).stores(id, c.facts)
	}
	return nil
}

// finishEnded keeps what follows from a run that ended: how it settled the connection,
// which credentials it had, and what pressure it left.
func finishEnded(t *db.Tx, id string, c *evidenceChange) error {
	if counts(c.ended) {
		if err := settleFacts(t, c.facts, c.ended); err != nil {
			return err
		}
		if err := gathererIn(t).credential(id, c.facts); err != nil {
			return err
		}
	}
	return gatherPressure(t, id, c.facts)
}

// retain counts the records that a transaction added to a connection, or took
// from it. It is done to the row alone: a batch reads no document.
func retain(t *db.Tx, connectionID string, n int64) error {
	if n == 0 {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE evidence SET retained = retained + ?, revision = revision + 1 WHERE connection_id = ?", n, connectionID)
	return err
}

// sameGap returns the gap that is known for the same detail, nil when none is.
func sameGap(t *db.Tx, g *gapRow) (*gapRow, error) {
	var rows []gapRow
	err := t.DB.NewSelect().Model(&rows).Column("connection_id", "stream", "status", "reason", "recovered_run_id").
		Where("connection_id = ? AND stream = ? AND parent_stream = ? AND record_key = ?", g.ConnectionID, g.Stream, g.ParentStream, g.RecordKey).
		Scan(t.Ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}
