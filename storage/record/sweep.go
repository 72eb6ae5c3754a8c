package record

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// sweepPage is how many records are looked up at once.
const sweepPage = 5000

// Sweep is an enumeration that its connector has closed as whole. With Accepted its owner
// has said that any number of records may go.
type Sweep struct {
	Enumeration

	Accepted bool
}

// Swept is what a sweep did, or why it did nothing.
type Swept struct {
	Enumeration

	Gone, Held int64  // records that were not met, and those that the list had before
	Answers    int64  // of SweepTooMany: the runs that found the same gone, of SweepAnswers
	Refused    string // of the words above; "": the records that were not met are tombstones
}

const (
	// thereInStream leaves out what is a tombstone, and what was written since the
	// enumeration began: that exists, whoever has met it.
	thereInStream = `SELECT r.key FROM keys CROSS JOIN records r WHERE r.stream_id = ? AND r.key = keys.value AND r.deleted = 0 AND r.seq <= ?`

	// handedOn is thereInStream where the records are elsewhere.
	handedOn = `SELECT r.key FROM keys CROSS JOIN delivered_keys r WHERE r.stream_id = ? AND r.key = keys.value AND r.seq <= ?`

	// elsewhere lists the other parts that hold records.
	elsewhere = `SELECT m.key, m.enumeration_id FROM keys JOIN marks m ON m.stream_id = ? AND m.stream_id > 0 AND m.key = keys.value AND m.enumeration_id <> ?`

	byKey = ` ORDER BY r.key`

	buryOnServer = `UPDATE records AS r SET seq = i.seq, data = NULL, deleted = 1, emitted_at = i.emitted_at, run_pk = i.run_pk
FROM unnest($1, $2, $3, $4, $5) AS i (stream_id, key, seq, emitted_at, run_pk) WHERE r.stream_id = i.stream_id AND r.key = i.key`
)

// Missing returns the keys of the records that an enumeration has not met, by key and from
// behind after. Of one that the store does not have, none.
func Missing(t *db.Tx, to *Target, e Enumeration, after string, limit int) ([]string, error) {
	o := to.opened[e]
	if o == nil || o.refused != "" {
		return nil, nil
	}
	met, err := readMet(t, o)
	if err != nil {
		return nil, err
	}
	return missing(t, o, met, leaving{}, after, limit)
}

func missing(t *db.Tx, o *opened, met *metKeys, others leaving, after string, limit int) (keys []string, err error) {
	for more := true; more && err == nil && len(keys) < limit; {
		var unmet, there []string
		if unmet, err = unmetKeys(t, o, met, after, limit); err != nil || len(unmet) == 0 {
			break
		}
		there, err = stillThere(t, o, others, unmet)
		keys, after, more = append(keys, there...), unmet[len(unmet)-1], len(unmet) == limit
	}
	return keys[:min(limit, len(keys))], err
}

// unmetKeys returns the next keys of the stream, tombstones among them, or of the part that
// were not met.
func unmetKeys(t *db.Tx, o *opened, met *metKeys, after string, limit int) (keys []string, err error) {
	query, of := "SELECT key FROM "+o.keys()+" WHERE stream_id = ? AND key > ? ORDER BY key", o.stream
	if o.part {
		query, of = "SELECT key FROM marks WHERE enumeration_id = ? AND key > ? ORDER BY key", o.id
	}
	err = eachKey(t, func(key string) bool {
		if !met.has(key) {
			keys = append(keys, key)
		}
		return len(keys) < limit
	}, query, of, after)
	return keys, err
}

// leaving are the parts that are swept before another one: what they have not met they do not hold. It is
// the beginning of a list that all parts of a run share, so that those of a run with thousands of parts take
// the memory of one list.
type leaving struct {
	all *leavers
	n   int // how many of them are swept before
}

// leavers are parts in the order in which they are swept.
type leavers struct {
	parts []int64 // their ids
	at    map[int64]int
	met   []*metKeys
}

// add puts a part behind the others. A run sweeps each part once.
func (l *leavers) add(part int64, met *metKeys) {
	l.at[part] = len(l.parts)
	l.parts, l.met = append(l.parts, part), append(l.met, met)
}

// of returns what a part has met, or nil if the part is not swept before.
func (l leaving) of(part int64) *metKeys {
	if l.all == nil {
		return nil
	}
	if i, known := l.all.at[part]; known && i < l.n {
		return l.all.met[i]
	}
	return nil
}

// equal reports whether two lists have the same parts, which have met the same.
func (l leaving) equal(o leaving) bool {
	return l.n == o.n && (l.n == 0 || l.all == o.all || slices.Equal(l.all.parts[:l.n], o.all.parts[:l.n]) && slices.Equal(l.all.met[:l.n], o.all.met[:l.n]))
}

// stillThere returns those of the keys whose records would be buried.
func stillThere(t *db.Tx, o *opened, others leaving, keys []string) (there []string, err error) {
	query, held := thereInStream, map[string]bool{}
	if o.handed {
		query = handedOn
	}
	if o.part {
		if held, err = heldElsewhere(t, o, others, keys); err != nil {
			return nil, err
		}
	}
	err = eachKey(t, func(key string) bool {
		if !held[key] {
			there = append(there, key)
		}
		return true
	}, withKeys(t, query+byKey), keyTexts(keys), o.stream, o.begunSeq)
	return there, err
}

// heldElsewhere returns those of the keys that another part holds as well.
func heldElsewhere(t *db.Tx, o *opened, others leaving, keys []string) (map[string]bool, error) {
	rows, err := t.DB.QueryContext(t.Ctx, withKeys(t, elsewhere), keyTexts(keys), o.stream, o.id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	held := map[string]bool{}
	for rows.Next() {
		var key string
		var part int64
		if err := rows.Scan(&key, &part); err != nil {
			return nil, err
		}
		if met := others.of(part); met == nil || met.has(key) {
			held[key] = true
		}
	}
	return held, rows.Err()
}

// SweepRecords closes enumerations: what they have not met becomes tombstones, unless
// WeighSweeps says why not. It shares the transaction that commits the cursor behind them.
//
// Invariant 12: a record is buried only when its enumeration was closed as whole, with
// nothing rejected or left out since it began, over what was met since then.
func SweepRecords(t *db.Tx, to *Target, sweeps []Sweep) (done []Swept, err error) {
	all, err := weighAll(t, to, sweeps)
	if err != nil {
		return nil, err
	}
	for i := range all {
		w := &all[i]
		LeaveEnumeration(to, w.Enumeration)
		delete(to.opened, w.Enumeration)
		if w.o != nil && w.o.refused == "" {
			if err := w.close(t, to); err != nil {
				return nil, err
			}
		}
		done = append(done, w.Swept)
	}
	return done, nil
}

// close sweeps an enumeration, or does not, and closes it.
func (w *weighed) close(t *db.Tx, to *Target) error {
	if w.Refused == "" {
		if err := sweep(t, to, w.o, w.g); err != nil {
			return err
		}
		buried := to.removals(t)
		buried[w.o.stream] = buried[w.o.stream].and(w.removal())
	}
	if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM met WHERE enumeration_id = ?", w.o.id); err != nil {
		return err
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET open = 0, answer = ?, answers = ?, answered_us = ? WHERE id = ?",
		w.answer.digest, w.answer.count, w.answer.atUS, w.o.id)
	return err
}

// sweep buries what was not met. A record that has left this part stays when another one
// holds it.
func sweep(t *db.Tx, to *Target, o *opened, g *gone) (err error) {
	for keys := g.first; len(keys) > 0; {
		if err := bury(t, to, o, keys); err != nil {
			return err
		}
		if len(keys) < sweepPage {
			break
		}
		if keys, err = missing(t, o, g.met, g.leaving, keys[len(keys)-1], sweepPage); err != nil {
			return err
		}
	}
	return leavePart(t, o, g.met)
}

// leavePart forgets the records that a part no longer holds.
func leavePart(t *db.Tx, o *opened, met *metKeys) (err error) {
	for more := o.part; more && err == nil; {
		var keys []string
		if keys, err = unmetKeys(t, o, met, "", sweepPage); err != nil || len(keys) == 0 {
			break
		}
		more = len(keys) == sweepPage
		_, err = t.DB.ExecContext(t.Ctx, withKeys(t, "DELETE FROM marks WHERE enumeration_id = ? AND key IN (SELECT value FROM keys)"), keyTexts(keys), o.id)
	}
	return err
}

// bury turns records that are there into tombstones.
func bury(t *db.Tx, to *Target, o *opened, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if o.handed {
		return handOn(t, to, o.stream, keys)
	}
	seq, err := OpenSequence(t)
	if err != nil {
		return err
	}
	c, err := to.tally(t, o.stream)
	if err != nil {
		return err
	}
	when, first := t.Now.UTC().Format(time.RFC3339Nano), seq.Last+1
	n := int64(len(keys))
	seq.Last += n
	c.live, c.dead, c.Deleted, c.lastSeq = c.live-n, c.dead+n, c.Deleted+n, seq.Last
	if t.Server() == nil {
		for i, key := range keys {
			at := first + int64(i)
			if _, _, err := run(t, stBury, at, at, when, to.RunPK, c.ID, key); err != nil {
				return err
			}
		}
		return nil
	}
	streams, texts, seqs, times, runs := postgres.Ints(len(keys)), postgres.Texts(len(keys)), postgres.Ints(len(keys)), postgres.Texts(len(keys)), postgres.Ints(len(keys))
	for i, key := range keys {
		streams.Int(o.stream)
		texts.Add([]byte(key))
		seqs.Int(first + int64(i))
		times.Add([]byte(when))
		runs.Int(to.RunPK)
	}
	return postgres.Query(t.Ctx, t.Server(), buryOnServer, func([][]byte) {}, streams, texts, seqs, times, runs)
}
