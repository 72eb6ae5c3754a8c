package connection

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/read"
)

// removeRows is how many records one transaction of a removal deletes, so that
// a run of another connection does not wait long.
const removeRows = 5000

// RemoveConnection deletes a connection with everything that was collected and
// kept for it. While a run holds its lease it is run.connection_busy; alive says
// whether a lease's holder still lives, as NewRun.HolderAlive does, and nil that every
// one does. The connection and its cursors go first and in one transaction; the
// records follow in several, and what a crash leaves of them goes at the next Open.
// Then their text is in the file and its log no more; where another process reads the
// store for long, once that has ended, and in a file of many gigabytes once all of it was looked through.
func (s *Store) RemoveConnection(ctx context.Context, name string, alive func(holder string) bool) error {
	if err := s.db.Alone(ctx, "remove the connection", func(t *db.Tx) error { return RemoveConnection(t, name, alive) }); err != nil {
		return err
	}
	if err := s.SweepRemoved(ctx); err != nil {
		return err
	}
	return s.db.FoldLog(ctx)
}

// RemoveConnection deletes a connection but for its records, as RemoveConnection of Store
// does in its first transaction.
func RemoveConnection(t *db.Tx, name string, alive func(holder string) bool) error {
	c, err := tables.FindConnection(t.Ctx, t.DB, name)
	if err != nil {
		return err
	}
	busy, err := tables.LiveLease(t, c.ID, alive)
	if err != nil {
		return err
	}
	if busy != nil {
		hint := "wait for it to end, or end it"
		if tables.IsDeviceHolder(busy.Holder) {
			hint = "revoke its device first, or wait for the run to end"
		}
		return abi.NewError(abi.CodeConnectionBusy, "a run of this connection is going on", hint).
			WithDetail("run " + busy.RunID + " since " + db.Time(busy.AcquiredUS).Format(time.RFC3339))
	}
	t.Erased = true
	const ofSources = " WHERE source_id IN (SELECT id FROM source_instances WHERE connection_id = ?)"
	const ofRuns = " WHERE run_pk IN (SELECT pk FROM runs WHERE connection_id = ?)"
	for _, q := range []string{
		"DELETE FROM evidence WHERE connection_id = ?",
		"DELETE FROM standings WHERE connection_id = ?",
		"DELETE FROM states WHERE connection_id = ?",
		"DELETE FROM gaps WHERE connection_id = ?",
		"DELETE FROM credentials WHERE connection_id = ?",
		"DELETE FROM pressure WHERE connection_id = ?",
		"DELETE FROM pauses WHERE connection_id = ?",
		"DELETE FROM destinations WHERE connection_id = ?",
		"DELETE FROM books WHERE connection_id = ?",
		"DELETE FROM device_batches" + ofSources,
		"DELETE FROM device_commits" + ofSources,
		"DELETE FROM enrollment_codes" + ofSources,
		"DELETE FROM device_blobs WHERE connection_id = ?",
		"DELETE FROM source_instances WHERE connection_id = ?",
		"DELETE FROM staged_states" + ofRuns,
		"DELETE FROM events" + ofRuns,
		"DELETE FROM coverage" + ofRuns,
		"DELETE FROM run_streams" + ofRuns,
		"DELETE FROM runs WHERE connection_id = ?",
		"DELETE FROM rejected_records WHERE stream_id IN (SELECT id FROM streams WHERE connection_id = ?)",
		"DELETE FROM delivered_keys WHERE stream_id IN (SELECT id FROM streams WHERE connection_id = ?)",
		"UPDATE streams SET removed = 1 WHERE connection_id = ?",
		"DELETE FROM leases WHERE connection_id = ?",
		"DELETE FROM connections WHERE id = ?",
	} {
		if _, err := t.DB.ExecContext(t.Ctx, q, c.ID); err != nil {
			return err
		}
	}
	// A device that feeds nothing any more has no credential either.
	_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM source_instances)")
	return err
}

// SweepRemoved deletes the records of removed connections.
func (s *Store) SweepRemoved(ctx context.Context) error {
	var ids []int64
	if err := s.db.Read.NewSelect().Model((*tables.StreamRow)(nil)).Column("id").Where("removed = 1").Scan(ctx, &ids); err != nil {
		return s.db.Fail("read the removed streams", err)
	}
	for _, id := range ids {
		if err := s.forget(ctx, id); err != nil {
			return err
		}
		if err := s.sweepMarks(ctx, id); err != nil {
			return err
		}
		for more := true; more; {
			err := s.db.Alone(ctx, "remove records", func(t *db.Tx) error {
				t.Erased = true
				res, err := t.DB.ExecContext(t.Ctx,
					// Asked again under the lock: another process may have finished this
					// removal, and a new stream may have the id.
					"DELETE FROM records WHERE seq IN (SELECT r.seq FROM records r JOIN streams s ON s.id = r.stream_id WHERE s.id = ? AND s.removed = 1 LIMIT ?)", id, removeRows)
				if err != nil {
					return err
				}
				n, err := res.RowsAffected()
				more = n == removeRows
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	// The streams go with the last of their words: until then, whoever opens the store next begins
	// this again.
	return s.db.Alone(ctx, "remove words", func(t *db.Tx) error {
		t.Erased = true
		if err := read.FoldWords(t); err != nil {
			return err
		}
		const unswept = "SELECT 1 FROM records r WHERE r.stream_id = streams.id UNION ALL SELECT 1 FROM read_rows i WHERE i.stream_id = streams.id"
		_, err := t.DB.ExecContext(t.Ctx, "DELETE FROM streams WHERE id IN (?) AND removed = 1 AND NOT EXISTS ("+unswept+")", bun.List(ids))
		return err
	})
}

// forget removes what readers had of a removed stream.
func (s *Store) forget(ctx context.Context, id int64) error {
	for more := true; more; {
		err := s.db.Alone(ctx, "remove the index", func(t *db.Tx) error {
			t.Erased = true
			var removed int64
			err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM streams WHERE id = ? AND removed = 1", id).Scan(&removed)
			if more = false; err != nil || removed == 0 {
				return err
			}
			more, err = read.Forget(t, id, removeRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sweepMarks deletes the enumerations of a removed stream. A new stream may have its id: as
// for the records, it is asked again under the lock.
func (s *Store) sweepMarks(ctx context.Context, stream int64) error {
	const removed = "SELECT e.id FROM enumerations e JOIN streams s ON s.id = e.stream_id WHERE s.id = ? AND s.removed = 1"
	for more := true; more; {
		err := s.db.Alone(ctx, "remove marks", func(t *db.Tx) error {
			t.Erased = true
			res, err := t.DB.ExecContext(t.Ctx,
				"DELETE FROM marks WHERE (enumeration_id, key) IN (SELECT enumeration_id, key FROM marks WHERE enumeration_id IN ("+removed+") LIMIT ?)", stream, removeRows)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if more = n == removeRows; more || err != nil {
				return err
			}
			if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM met WHERE enumeration_id IN ("+removed+")", stream); err != nil {
				return err
			}
			_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM enumerations WHERE id IN ("+removed+")", stream)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
