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
	missingInStream = `SELECT r.key FROM records r WHERE r.stream_id = ? AND r.key > ? AND r.deleted = 0
AND NOT EXISTS (SELECT 1 FROM marks m WHERE m.enumeration_id = ? AND m.key = r.key AND m.generation = ?) ORDER BY r.key LIMIT ?`

	// missingInPart leaves out what another part holds as well. CROSS JOIN: SQLite would
	// rather walk the records, of which a part has few.
	missingInPart = `SELECT m.key FROM marks m CROSS JOIN records r WHERE m.enumeration_id = ? AND m.generation <> ? AND m.key > ?
AND r.stream_id = ? AND r.key = m.key AND r.deleted = 0
AND NOT EXISTS (SELECT 1 FROM marks o WHERE o.stream_id = ? AND o.stream_id > 0 AND o.key = m.key AND o.enumeration_id <> m.enumeration_id)
ORDER BY m.key LIMIT ?`

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
	return missing(t, o, after, limit)
}

func missing(t *db.Tx, o *opened, after string, limit int) ([]string, error) {
	query, args := missingInStream, []any{o.stream, after, o.id, o.generation, limit}
	if o.index > 0 {
		query, args = missingInPart, []any{o.id, o.generation, after, o.stream, o.stream, limit}
	}
	rows, err := t.DB.QueryContext(t.Ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// WeighSweep says what a sweep would do. It writes nothing.
func WeighSweep(t *db.Tx, to *Target, s Sweep) (Swept, error) {
	out := Swept{Enumeration: s.Enumeration}
	o := to.opened[s.Enumeration]
	if o == nil {
		out.Refused = SweepLost
		return out, nil
	}
	if out.Refused = o.refused; out.Refused != "" {
		return out, nil
	}
	err := t.DB.QueryRowContext(t.Ctx, "SELECT spoiled FROM enumerations WHERE id = ?", o.id).Scan(&out.Refused)
	if err != nil || out.Refused != "" {
		return out, err
	}
	after := ""
	for limit := goFreely + 1; ; limit = sweepPage {
		keys, err := missing(t, o, after, limit)
		if err != nil {
			return out, err
		}
		out.Gone += int64(len(keys))
		if len(keys) < limit {
			break
		}
		after = keys[len(keys)-1]
	}
	if out.Gone <= goFreely || s.Accepted {
		return out, nil
	}
	err = t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM marks WHERE enumeration_id = ? AND generation = ?", o.id, o.generation).Scan(&out.Met)
	if out.Gone*1000 > (out.Gone+out.Met)*goPerMille {
		out.Refused = SweepTooMany
	}
	return out, err
}

// SweepRecords closes an enumeration: what it has not met becomes tombstones, unless
// WeighSweep says why not. It shares the transaction that commits the cursor behind it.
//
// Invariant 12: a record is buried only when its enumeration was closed as whole, with
// nothing rejected or left out since it began, over marks that are all of one generation.
func SweepRecords(t *db.Tx, to *Target, s Sweep) (Swept, error) {
	out, err := WeighSweep(t, to, s)
	o := to.opened[s.Enumeration]
	LeaveEnumeration(to, s.Enumeration)
	delete(to.opened, s.Enumeration)
	if err != nil || o == nil || o.refused != "" {
		return out, err
	}
	if out.Refused == "" {
		for after, more := "", out.Gone > 0; more; {
			keys, err := missing(t, o, after, sweepPage)
			if err != nil {
				return out, err
			}
			if err := bury(t, to, o, keys); err != nil {
				return out, err
			}
			if more = len(keys) == sweepPage; more {
				after = keys[len(keys)-1]
			}
		}
		// A record that has left this part stays when another one holds it.
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM marks WHERE enumeration_id = ? AND generation <> ?", o.id, o.generation); err != nil {
			return out, err
		}
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET open = 0 WHERE id = ?", o.id)
	return out, err
}

// bury turns records that are there into tombstones.
func bury(t *db.Tx, to *Target, o *opened, keys []string) error {
	if len(keys) == 0 {
		return nil
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
