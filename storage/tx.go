package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// tx is what the rooms of the store keep in one write transaction.
type tx struct {
	*db.Tx
	s *Store

	seq    int64 // the change sequence so far; valid once opened
	opened int64 // what it was at the beginning, -1 before it was read

	runs    map[*RunWriter]error // checked against their lease
	tallies map[*RunWriter][]tally

	changed map[string]*evidenceChange // by connection

	ended map[string]bool // connections of which a run ended
}

// tally is what the transaction does to one stream of one run.
type tally struct {
	StreamCounts

	id           any // stream id, boxed once
	live, dead   int64
	live0, dead0 int64
	lastSeq      int64

	rejected, unlisted   int64 // as of streams.rejected and rejected_unlisted
	rejected0, unlisted0 int64
}

// txKey is the key of a store's state in a transaction.
type txKey struct{}

// in returns the store's state in t, which is written before the commit.
func (s *Store) in(t *db.Tx) *tx {
	return db.State(t, txKey{}, func() *tx {
		own := &tx{
			Tx: t, s: s, opened: -1, runs: map[*RunWriter]error{}, tallies: map[*RunWriter][]tally{},
			changed: map[string]*evidenceChange{}, ended: map[string]bool{},
		}
		t.BeforeCommit(own.settle)
		t.AfterCommit(own.committed)
		return own
	})
}

// committed follows what the transaction has made durable.
func (t *tx) committed() {
	t.s.pruneAfter(t.ended)
	for w, tallies := range t.tallies {
		w.count(tallies)
	}
}

// alone runs fn in a write transaction of its own, see db.DB.Alone, with the audit event
// that ctx carries.
func (s *Store) alone(ctx context.Context, what string, fn func(*tx) error) error {
	return s.db.Alone(ctx, what, func(t *db.Tx) error {
		own := s.in(t)
		if err := fn(own); err != nil {
			return err
		}
		return own.recordAudit(ctx)
	})
}

// openSequence reads the change counter. It is read under the write lock,
// because several processes share the file, and a number is never given twice.
func (t *tx) openSequence() error {
	if t.opened >= 0 {
		return nil
	}
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT value FROM counters WHERE name = 'change'").Scan(&t.seq); err != nil {
		return err
	}
	t.opened = t.seq
	return nil
}

// tally returns the run's stream counters in this transaction, with the
// streams' tombstone counts as they are under the write lock.
func (t *tx) tally(w *RunWriter) []tally { return t.tallies[w] }

func (t *tx) openTally(w *RunWriter) error {
	if t.tallies[w] != nil {
		return nil
	}
	out := make([]tally, len(w.streams))
	// Two indexes may name the same stream; each stream is counted once.
	for i, st := range w.streams {
		c := tally{id: st.id}
		err := t.DB.QueryRowContext(t.Ctx, "SELECT live, deleted, rejected, rejected_unlisted FROM streams WHERE id = ?", st.id).
			Scan(&c.live, &c.dead, &c.rejected, &c.unlisted)
		if err != nil {
			return err
		}
		c.live0, c.dead0, c.rejected0, c.unlisted0 = c.live, c.dead, c.rejected, c.unlisted
		out[i] = c
	}
	t.tallies[w] = out
	return nil
}

// verify checks that the run still holds its connection's lease, once a
// transaction: the write lock keeps it true until the commit.
//
// Invariant 2: a run whose epoch is not the lease's writes nothing.
func (t *tx) verify(w *RunWriter) error {
	if err, ok := t.runs[w]; ok {
		return err
	}
	var epoch int64
	var runID string
	err := t.DB.QueryRowContext(t.Ctx, "SELECT epoch, run_id FROM leases WHERE connection_id = ?", w.connectionID).Scan(&epoch, &runID)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = fenced(w, "the connection was removed")
	case err != nil:
		return err
	case epoch != w.epoch || runID != w.runID:
		err = fenced(w, "a newer run took the connection over")
	}
	t.runs[w] = err
	return err
}

func fenced(w *RunWriter, why string) error {
	return abi.NewError(abi.CodeFenced, "this run lost its lease: "+why,
		"nothing to do: what it had committed is kept, and the newer run goes on from there").
		WithDetail("run " + w.runID)
}

// settle writes what the transaction counted: the sequence, the streams'
// counters, the runs' totals and the evidence. It comes last, before the commit.
func (t *tx) settle() error {
	if t.opened >= 0 && t.seq != t.opened {
		if _, err := t.DB.ExecContext(t.Ctx, "UPDATE counters SET value = ? WHERE name = 'change'", t.seq); err != nil {
			return err
		}
	}
	for w := range t.tallies {
		if err := t.settleRun(w); err != nil {
			return err
		}
	}
	return t.saveEvidence()
}

func (t *tx) settleRun(w *RunWriter) error {
	retained := int64(0)
	for i := range t.tallies[w] {
		c := &t.tallies[w][i]
		if c.rejected != c.rejected0 || c.unlisted != c.unlisted0 {
			if err := t.rejectedMoved(w.connectionID, c); err != nil {
				return err
			}
		}
		if c.StreamCounts == (StreamCounts{}) {
			continue
		}
		retained += c.live - c.live0
		t.Erased = t.Erased || c.Deleted > 0
		if c.lastSeq > 0 {
			_, err := t.DB.ExecContext(t.Ctx, "UPDATE streams SET live = live + ?, deleted = deleted + ?, last_seq = ? WHERE id = ?",
				c.live-c.live0, c.dead-c.dead0, c.lastSeq, c.id)
			if err != nil {
				return err
			}
		}
		_, err := t.DB.ExecContext(t.Ctx,
			"UPDATE run_streams SET added = added + ?, changed = changed + ?, unchanged = unchanged + ?, deleted = deleted + ? WHERE run_pk = ? AND stream_id = ?",
			c.New, c.Changed, c.Unchanged, c.Deleted, w.pk, c.id)
		if err != nil {
			return err
		}
	}
	return t.retain(w.connectionID, retained)
}

func micros(t time.Time) int64 { return db.Micros(t) }

// at is the inverse of micros; 0 is no time.
func at(us int64) time.Time { return db.Time(us) }
