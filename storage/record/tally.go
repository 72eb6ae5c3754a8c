package record

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Tally is what the transaction does to one stream of one run.
type Tally struct {
	StreamCounts

	ID           any // stream id, boxed once
	live, dead   int64
	live0, dead0 int64
	lastSeq      int64
	erased       int64 // records of it that their owner has deleted

	Rejected, Unlisted   int64 // as of streams.rejected and rejected_unlisted
	rejected0, unlisted0 int64
}

// sequence is the change sequence in a transaction.
type sequence struct {
	Last   int64 // so far
	opened int64 // what it was at the beginning
}

type (
	sequenceKey struct{}
	talliesKey  struct{}
)

// OpenSequence reads the change counter. It is read under the write lock,
// because several processes share the store, and a number is never given twice.
func OpenSequence(t *db.Tx) (*sequence, error) {
	s := db.State(t, sequenceKey{}, func() *sequence { return &sequence{opened: -1} })
	if s.opened >= 0 {
		return s, nil
	}
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT value FROM counters WHERE name = 'change'").Scan(&s.Last); err != nil {
		return nil, err
	}
	s.opened = s.Last
	t.BeforeCommit(db.Counters, func() error {
		if s.Last == s.opened {
			return nil
		}
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE counters SET value = ? WHERE name = 'change'", s.Last)
		return err
	})
	return s, nil
}

// OpenTallies returns the target's stream counters in this transaction, with the
// streams' tombstone counts as they are under the write lock.
func OpenTallies(t *db.Tx, to *Target) ([]Tally, error) {
	open := db.State(t, talliesKey{}, func() map[*Target][]Tally { return map[*Target][]Tally{} })
	if known := open[to]; known != nil {
		return known, nil
	}
	out := make([]Tally, len(to.Streams))
	// Two indexes may name the same stream; each stream is counted once.
	for i, st := range to.Streams {
		c := Tally{ID: st.ID}
		err := t.DB.QueryRowContext(t.Ctx, "SELECT live, deleted, rejected, rejected_unlisted, erased FROM streams WHERE id = ?", st.ID).
			Scan(&c.live, &c.dead, &c.Rejected, &c.Unlisted, &c.erased)
		if err != nil {
			return nil, err
		}
		c.live0, c.dead0, c.rejected0, c.unlisted0 = c.live, c.dead, c.Rejected, c.Unlisted
		out[i] = c
	}
	if err := to.begin(t, out); err != nil {
		return nil, err
	}
	open[to] = out
	t.BeforeCommit(db.Counters, func() error { return saveTally(t, to, out) })
	t.AfterCommit(func() { to.count(out) })
	return out, nil
}

// begin has the run know how many records its streams had before it wrote any.
func (to *Target) begin(t *db.Tx, tallies []Tally) error {
	if to.start != nil {
		return nil
	}
	start := make(map[int64]int64, len(tallies))
	for i, st := range to.Streams {
		n := tallies[i].live
		if to.HandOn != nil {
			if err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM delivered_keys WHERE stream_id = ?", st.ID).Scan(&n); err != nil {
				return err
			}
		}
		start[st.ID] = n
	}
	to.start = start
	return nil
}

// tally returns the counters of one stream of the target.
func (to *Target) tally(t *db.Tx, stream int64) (*Tally, error) {
	tallies, err := OpenTallies(t, to)
	if err != nil {
		return nil, err
	}
	for i := range tallies {
		if to.Streams[i].ID == stream {
			return &tallies[i], nil
		}
	}
	return &Tally{}, nil
}

// saveTally writes what the transaction counted of a run's records.
func saveTally(t *db.Tx, to *Target, tallies []Tally) error {
	retained, moved := int64(0), false
	for i := range tallies {
		c := &tallies[i]
		if c.Rejected != c.rejected0 || c.Unlisted != c.unlisted0 {
			if err := rejectedMoved(t, to.ConnectionID, c); err != nil {
				return err
			}
		}
		if c.StreamCounts == (StreamCounts{}) {
			continue
		}
		if moved = true; to.Streams[i].Name != abi.StreamCoverage {
			retained += c.live - c.live0
		}
		t.Erased = t.Erased || c.Deleted > 0
		if c.lastSeq > 0 {
			_, err := t.DB.ExecContext(t.Ctx, "UPDATE streams SET live = live + ?, deleted = deleted + ?, last_seq = ? WHERE id = ?",
				c.live-c.live0, c.dead-c.dead0, c.lastSeq, c.ID)
			if err != nil {
				return err
			}
		}
		_, err := t.DB.ExecContext(t.Ctx,
			"UPDATE run_streams SET added = added + ?, changed = changed + ?, unchanged = unchanged + ?, deleted = deleted + ?, suppressed = suppressed + ? WHERE run_pk = ? AND stream_id = ?",
			c.New, c.Changed, c.Unchanged, c.Deleted, c.Suppressed, to.RunPK, c.ID)
		if err != nil {
			return err
		}
	}
	if !moved {
		return nil
	}
	return evidence.Retain(t, to.ConnectionID, retained)
}

// count adds what a transaction made durable.
func (to *Target) count(tallies []Tally) {
	to.mu.Lock()
	defer to.mu.Unlock()
	for i, c := range tallies {
		to.counts[i].Add(c.StreamCounts, 1)
	}
}

// rejectedMoved writes how many rejected records a stream has now.
func rejectedMoved(t *db.Tx, connectionID string, c *Tally) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE streams SET rejected = ?, rejected_unlisted = ? WHERE id = ?", c.Rejected, c.Unlisted, c.ID)
	if err != nil {
		return err
	}
	change, err := evidence.ChangeOf(t, connectionID)
	if err != nil {
		return err
	}
	change.Rejected = true
	return nil
}
