package record

import (
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// How many records go without their owner's word: so many, and of more at most the half of
// what the enumeration is of. A source that answers with an empty list by mistake is not
// believed, and neither is one that answers for somebody else.
const (
	goFreely   = 20
	goPerMille = 500
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

	Gone, Met int64  // records that were not met, and those that were; counted when many are gone
	Refused   string // of the words above; "": the records that were not met are tombstones
}

const (
	// thereInStream leaves out what is a tombstone, and what was written since the
	// enumeration began: that exists, whoever has met it.
	thereInStream = `SELECT r.key FROM keys CROSS JOIN records r WHERE r.stream_id = ? AND r.key = keys.value AND r.deleted = 0 AND r.seq <= ?`

	// handedOn is thereInStream where the records are elsewhere.
	handedOn = `SELECT r.key FROM keys CROSS JOIN delivered_keys r WHERE r.stream_id = ? AND r.key = keys.value AND r.seq <= ?`

	// notElsewhere leaves out what another part holds as well.
	notElsewhere = ` AND NOT EXISTS (SELECT 1 FROM marks m WHERE m.stream_id = r.stream_id AND m.stream_id > 0 AND m.key = r.key AND m.enumeration_id <> ?)`

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
	return missing(t, o, met, after, limit)
}

func missing(t *db.Tx, o *opened, met *metKeys, after string, limit int) (keys []string, err error) {
	for more := true; more && err == nil && len(keys) < limit; {
		var unmet, there []string
		if unmet, err = unmetKeys(t, o, met, after, limit); err != nil || len(unmet) == 0 {
			break
		}
		there, err = stillThere(t, o, unmet)
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

// stillThere returns those of the keys whose records would be buried.
func stillThere(t *db.Tx, o *opened, keys []string) (there []string, err error) {
	query, args := thereInStream, []any{keyTexts(keys), o.stream, o.begunSeq}
	if o.handed {
		query = handedOn
	}
	if o.part {
		query, args = query+notElsewhere, append(args, o.id)
	}
	err = eachKey(t, func(key string) bool {
		there = append(there, key)
		return true
	}, withKeys(t, query+byKey), args...)
	return there, err
}

// WeighSweep says what a sweep would do. It writes nothing.
func WeighSweep(t *db.Tx, to *Target, s Sweep) (Swept, error) {
	out, _, err := weigh(t, to, s)
	return out, err
}

// weigh is WeighSweep, and returns besides what would go; nil when the sweep is refused for
// another reason than how many that are.
func weigh(t *db.Tx, to *Target, s Sweep) (out Swept, g *gone, err error) {
	out.Enumeration = s.Enumeration
	o := to.opened[s.Enumeration]
	if o == nil {
		out.Refused = SweepLost
		return out, nil, nil
	}
	if out.Refused = o.refused; out.Refused != "" {
		return out, nil, nil
	}
	err = t.DB.QueryRowContext(t.Ctx, "SELECT spoiled FROM enumerations WHERE id = ?", o.id).Scan(&out.Refused)
	if err != nil || out.Refused != "" {
		return out, nil, err
	}
	if g, err = goneKeys(t, to, o); err != nil {
		return out, nil, err
	}
	if out.Gone = g.count; out.Gone <= goFreely || s.Accepted {
		return out, g, nil
	}
	if out.Met = int64(len(g.met.hashes)); out.Gone*1000 > (out.Gone+out.Met)*goPerMille {
		out.Refused = SweepTooMany
	}
	return out, g, nil
}

// goneKeys looks up what a sweep would bury, or has it from before when neither the stream
// nor what was met has moved.
func goneKeys(t *db.Tx, to *Target, o *opened) (*gone, error) {
	g := &gone{}
	var err error
	if g.met, err = readMet(t, o); err != nil {
		return nil, err
	}
	if g.seq, err = lastChange(t, to, o.stream); err != nil {
		return nil, err
	}
	if o.gone != nil && o.gone.met == g.met && o.gone.seq == g.seq {
		return o.gone, nil
	}
	for after := ""; ; {
		keys, err := missing(t, o, g.met, after, sweepPage)
		if err != nil {
			return nil, err
		}
		if g.count == 0 {
			g.first = keys
		}
		g.count += int64(len(keys))
		if len(keys) < sweepPage {
			break
		}
		after = keys[len(keys)-1]
	}
	t.AfterCommit(func() { o.gone = g })
	return g, nil
}

// lastChange returns the change sequence of a stream's last change.
func lastChange(t *db.Tx, to *Target, stream int64) (seq int64, err error) {
	tallies, err := OpenTallies(t, to)
	if err != nil {
		return 0, err
	}
	err = t.DB.QueryRowContext(t.Ctx, "SELECT last_seq FROM streams WHERE id = ?", stream).Scan(&seq)
	for i := range tallies {
		if to.Streams[i].ID == stream {
			seq = max(seq, tallies[i].lastSeq)
		}
	}
	return seq, err
}

// SweepRecords closes an enumeration: what it has not met becomes tombstones, unless
// WeighSweep says why not. It shares the transaction that commits the cursor behind it.
//
// Invariant 12: a record is buried only when its enumeration was closed as whole, with
// nothing rejected or left out since it began, over what was met since then.
func SweepRecords(t *db.Tx, to *Target, s Sweep) (Swept, error) {
	out, g, err := weigh(t, to, s)
	o := to.opened[s.Enumeration]
	LeaveEnumeration(to, s.Enumeration)
	delete(to.opened, s.Enumeration)
	if err != nil || o == nil || o.refused != "" {
		return out, err
	}
	if out.Refused == "" {
		if err := sweep(t, to, o, g); err != nil {
			return out, err
		}
	}
	if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM met WHERE enumeration_id = ?", o.id); err != nil {
		return out, err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET open = 0 WHERE id = ?", o.id)
	return out, err
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
		if keys, err = missing(t, o, g.met, keys[len(keys)-1], sweepPage); err != nil {
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
	tallies, err := OpenTallies(t, to)
	if err != nil {
		return err
	}
	var c *Tally
	for i := range tallies {
		if to.Streams[i].ID == o.stream {
			c = &tallies[i]
			break
		}
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
