package record

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Put writes the records of a batch but for those that their owner has deleted, marks those that an enumeration meets, and lists which
// others were rejected.
func Put(t *db.Tx, to *Target, b *Batch) error {
	if err := carryErasures(t, to, b); err != nil {
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
			changed, err := putTombstone(t, c, r.moved, next, when, runPK, key)
			switch {
			case err != nil:
				return err
			case changed:
				c.Deleted++
				seq.Last, c.lastSeq = next, next
			case !r.moved:
				c.Unchanged++
			}
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

// putTombstone writes a tombstone, and reports whether it changed anything. Where there is no record, one that has moved leaves nothing.
func putTombstone(t *db.Tx, c *Tally, moved bool, next int64, when string, runPK any, key string) (changed bool, err error) {
	changed, _, err = run(t, stBury, next, next, when, runPK, c.ID, key)
	if err == nil && changed {
		c.live--
		c.dead++
	}
	if err != nil || changed || moved {
		return changed, err
	}
	changed, _, err = run(t, stTombstone, next, next, c.ID, key, when, runPK)
	if err == nil && changed {
		c.dead++
	}
	return changed, err
}
