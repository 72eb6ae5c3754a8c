package record

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Put writes the records of a batch but for those that their owner has deleted, marks those that an enumeration meets, and lists which
// others were rejected.
func Put(t *db.Tx, to *Target, b *Batch) error {
	if err := moveErasures(t, to, b); err != nil {
		return err
	}
	erased, err := findErased(t, to, b)
	if err != nil {
		return err
	}
	put := putRecords
	if t.Server() != nil {
		put = putRecordsServer
	}
	if err := put(t, to, b, erased); err != nil {
		return err
	}
	if err := MarkBatch(t, to, b); err != nil {
		return err
	}
	return FollowRejections(t, to, b)
}

// putRecords writes the records of a batch and counts what they did. erased are those to drop;
// nil: none.
func putRecords(t *db.Tx, to *Target, b *Batch, erased []bool) error {
	seq, err := OpenSequence(t)
	if err != nil {
		return err
	}
	tally, err := OpenTallies(t, to)
	if err != nil {
		return err
	}
	if _, err := t.Exec(stUnmark); err != nil {
		return err
	}
	var runPK any = to.RunPK
	for i := range b.rows {
		r := &b.rows[i]
		c := &tally[r.stream]
		if erased != nil && erased[i] {
			c.Suppressed++
			continue
		}
		key := b.text(r.at, r.key)
		when := b.text(r.at+int(r.key)+int(r.data), r.when)
		next := seq.Last + 1
		if r.del {
			changed, _, err := run(t, stBury, next, next, when, runPK, c.ID, key)
			if err != nil {
				return err
			}
			if changed {
				c.live--
				c.dead++
			} else if changed, _, err = run(t, stTombstone, next, next, c.ID, key, when, runPK); err != nil {
				return err
			} else if changed {
				c.dead++
			}
			if !changed {
				c.Unchanged++
				continue
			}
			c.Deleted++
			seq.Last, c.lastSeq = next, next
			continue
		}
		data := b.text(r.at+int(r.key), r.data)
		if c.dead > 0 {
			// Only a stream with tombstones pays for telling a revived record
			// from a changed one.
			changed, _, err := run(t, stRevive, next, next, data, when, runPK, c.ID, key)
			if err != nil {
				return err
			}
			if changed {
				c.live++
				c.dead--
				c.Changed++
				seq.Last, c.lastSeq = next, next
				continue
			}
		}
		changed, inserted, err := run(t, stUpsert, next, next, c.ID, key, data, when, runPK)
		switch {
		case err != nil:
			return err
		case !changed:
			c.Unchanged++
			continue
		case inserted:
			c.New++
			c.live++
		default:
			c.Changed++
		}
		seq.Last, c.lastSeq = next, next
	}
	return nil
}
