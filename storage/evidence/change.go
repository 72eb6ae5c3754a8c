package evidence

import (
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Change is one connection's evidence within a transaction: read with
// its first fact, written once with all of them before the commit.
type Change struct {
	row    Row
	Facts  *stored.Facts
	ended  *tables.RunRow // a run that this transaction ended; of several, the last that counts
	gaps   bool           // gaps changed: their floors are asked again
	remade bool           // the document is to be made again from all there is

	Rejected bool // records were rejected, or rejected ones arrived

	books   bool // what became of the files of the folders changed
	paused  bool // a running run learned until when its provider wants no request
	devices bool // a device, or what it said, changed
	stores  bool // a device's coverage records changed
}

type changesKey struct{}

// changes are the transaction's changes of evidence, by connection.
func changes(t *db.Tx) map[string]*Change {
	return db.State(t, changesKey{}, func() map[string]*Change {
		all := map[string]*Change{}
		t.BeforeCommit(db.Summaries, func() error { return saveEvidence(t, all) })
		return all
	})
}

// ChangeOf returns the connection's evidence for a change of it.
func ChangeOf(t *db.Tx, connectionID string) (*Change, error) {
	changed := changes(t)
	if c := changed[connectionID]; c != nil {
		return c, nil
	}
	c := &Change{}
	err := t.DB.NewSelect().Model(&c.row).Where("connection_id = ?", connectionID).Scan(t.Ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, abi.NewError(abi.CodeInternal, "a connection has no evidence", "run `pdpp-host doctor --repair`")
	case err != nil:
		return nil, err
	}
	c.Facts = c.row.facts()
	// A row that cannot be brought up to date is made again.
	c.remade = len(c.Facts.Unreadable) > 0
	changed[connectionID] = c
	return c, nil
}

// InsertRow makes the row of a new connection.
func InsertRow(t *db.Tx, c *tables.ConnectionRow) error {
	row := Row{ConnectionID: c.ID, Name: c.Name, Connector: c.Connector}
	if err := row.encodeFacts(&stored.Facts{}, t.Now); err != nil {
		return err
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
		return err
	}
	_, err := ChangeOf(t, c.ID) // so that its standing is written
	return err
}

// RebuildAtCommit rebuilds the connection's document from the stored rows before the commit.
// It serves facts that change too rarely to be followed one by one, such as the accepted
// manifest and the credentials; without it the document would keep the old ones.
func RebuildAtCommit(t *db.Tx, connectionID string) error {
	c, err := ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	c.remade = true
	return nil
}

// AskAgain has the next run ask once more for the items of a connection that were gone or
// forbidden: another credential, or another module, may be let in where the one before was not.
func AskAgain(t *db.Tx, connectionID string) error {
	_, err := t.DB.NewUpdate().Model((*tables.GapRow)(nil)).Set("status = ?, class = '', next_attempt_us = 0", tables.GapPending).
		Where("connection_id = ? AND status = ? AND class = ?", connectionID, tables.GapTerminal, string(abi.ReasonGone)).Exec(t.Ctx)
	if err != nil {
		return err
	}
	return RebuildAtCommit(t, connectionID)
}

// Renamed follows the name of a connection.
func Renamed(t *db.Tx, connectionID, name string) error {
	c, err := ChangeOf(t, connectionID)
	if err == nil {
		c.row.Name, c.remade = name, true
	}
	return err
}

// RunBegan and RunEnded are the facts of a run.
func RunBegan(t *db.Tx, row *tables.RunRow) error {
	c, err := ChangeOf(t, row.ConnectionID)
	if err != nil {
		return err
	}
	BeginRun(c.Facts, row)
	return nil
}

// RunSubmitted follows whether a secret of the owner's stands with a site that has not let the
// running run in.
func RunSubmitted(t *db.Tx, connectionID string, submitted bool) error {
	c, err := ChangeOf(t, connectionID)
	if err == nil && c.Facts.Latest != nil {
		c.Facts.Latest.Submitted = submitted
	}
	return err
}

// RunEnded keeps the run; what depends on counts that are not written yet is
// done in saveEvidence.
func RunEnded(t *db.Tx, row *tables.RunRow) error {
	c, err := ChangeOf(t, row.ConnectionID)
	if err != nil {
		return err
	}
	EndRun(c.Facts, row)
	if c.ended == nil || Settles(row) {
		c.ended = row
	}
	return nil
}

// GapMoved counts what a change of one gap does. before is nil for a new gap.
func GapMoved(t *db.Tx, before, after *tables.GapRow) error {
	c, err := ChangeOf(t, after.ConnectionID)
	if err != nil {
		return err
	}
	c.gaps = true
	if before != nil {
		countGap(c.Facts, before, -1)
	}
	countGap(c.Facts, after, 1)
	return nil
}

// RunSays follows an event of a connection's run.
func RunSays(t *db.Tx, connectionID, eventType string, data []byte) error {
	if eventType != EventAsks && eventType != EventAnswered && eventType != EventBrowser {
		return nil
	}
	c, err := ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	if eventType == EventBrowser {
		c.Facts.Surface = surfaceOf(data)
	} else {
		c.Facts.Asking, c.Facts.AskingUntilUS = askedFor(eventType, data)
	}
	return nil
}

// DevicesMoved has what a connection's devices said read again before the commit.
func DevicesMoved(t *db.Tx, connectionID string) error {
	c, err := ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	c.devices = true
	return nil
}

// PauseLearned has until when a connection's provider wants no request read again before the
// commit.
func PauseLearned(t *db.Tx, connectionID string) error {
	c, err := ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	c.paused = true
	return nil
}

// BooksMoved has what became of the files of a connection's folders read again before the
// commit.
func BooksMoved(t *db.Tx, connectionID string) error {
	c, err := ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	c.books = true
	return nil
}

// StoresMoved has the coverage records of a connection's device counted again.
func StoresMoved(t *db.Tx, connectionID string) error {
	c, err := ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	c.stores = true
	return nil
}

// saveEvidence writes what the transaction changed. It comes after the counters
// of streams and runs.
func saveEvidence(t *db.Tx, changed map[string]*Change) error {
	for id, c := range changed {
		if err := finishEvidence(t, id, c); err != nil {
			return err
		}
		if err := c.row.encodeFacts(c.Facts, t.Now); err != nil {
			return err
		}
		c.row.ExamineUS = 0
		// Records and revisions are counted in the row itself, see retain.
		_, err := t.DB.NewUpdate().Model(&c.row).WherePK().ExcludeColumn("connection_id", "retained", "revision", "changed").Exec(t.Ctx)
		if err != nil {
			return err
		}
		if _, err := t.DB.ExecContext(t.Ctx, "UPDATE evidence SET revision = revision + 1, "+numbered+" WHERE connection_id = ?", id); err != nil {
			return err
		}
		if err := updateStanding(t, id, c.Facts); err != nil {
			return err
		}
	}
	return nil
}

func finishEvidence(t *db.Tx, id string, c *Change) error {
	if c.remade {
		facts, retained, err := gatherEvidence(t, id)
		if err != nil {
			return err
		}
		c.Facts = facts
		_, err = t.DB.ExecContext(t.Ctx, "UPDATE evidence SET retained = ? WHERE connection_id = ?", retained, id)
		return err
	}
	if c.ended != nil {
		if err := finishEnded(t, id, c); err != nil {
			return err
		}
	}
	if c.gaps {
		if err := gatherFloors(t, id, c.Facts); err != nil {
			return err
		}
	}
	if c.Rejected {
		if err := GatherIn(t).rejected(id, c.Facts); err != nil {
			return err
		}
	}
	if c.paused {
		if err := gatherPressure(t, id, c.Facts); err != nil {
			return err
		}
	}
	if c.books {
		if err := GatherIn(t).unread(id, c.Facts); err != nil {
			return err
		}
	}
	if c.devices {
		if err := GatherIn(t).devices(id, c.Facts); err != nil {
			return err
		}
	}
	if c.stores {
		return GatherIn(t).stores(id, c.Facts)
	}
	return nil
}

// finishEnded keeps what follows from a run that ended: how it settled the connection,
// which credentials it had, and what pressure it left.
func finishEnded(t *db.Tx, id string, c *Change) error {
	if Settles(c.ended) {
		if err := settleFacts(t, c.Facts, c.ended); err != nil {
			return err
		}
		if err := GatherIn(t).credential(id, c.Facts); err != nil {
			return err
		}
	}
	return gatherPressure(t, id, c.Facts)
}

// Retain counts the records that a transaction added to a connection, or took
// from it, without those that account for its folders, and numbers the change also where it took as many as it added: the counts of a
// run have moved. It is done to the row alone: a batch reads no document.
func Retain(t *db.Tx, connectionID string, n int64) error {
	query, args := "UPDATE evidence SET "+numbered, []any{connectionID}
	if n != 0 {
		query, args = query+", retained = retained + ?, revision = revision + 1", []any{n, connectionID}
	}
	_, err := t.DB.ExecContext(t.Ctx, query+" WHERE connection_id = ?", args...)
	return err
}

// SameGap returns the gap that is known for the same detail, nil when none is.
func SameGap(t *db.Tx, g *tables.GapRow) (*tables.GapRow, error) {
	var rows []tables.GapRow
	err := t.DB.NewSelect().Model(&rows).Column("connection_id", "stream", "status", "reason", "class", "recovered_run_id").
		Where("connection_id = ? AND stream = ? AND parent_stream = ? AND record_key = ?", g.ConnectionID, g.Stream, g.ParentStream, g.RecordKey).
		Scan(t.Ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}
