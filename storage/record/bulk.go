package record

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// The record path. One statement a record, prepared once: statements of many
// rows were slower here, and do not tell a new record from a changed one. A
// record's sequence moves only when its data or its deletion changed, so an
// unchanged record keeps the one it has, and a reader of changes does not see it
// again.
const (
	UpsertRecord = `INSERT INTO records (seq, stream_id, key, data, deleted, emitted_at, run_pk)
VALUES (?, ?, ?, ?, 0, ?, ?) ON CONFLICT (stream_id, key) DO UPDATE SET
seq = excluded.seq, data = excluded.data, deleted = 0, emitted_at = excluded.emitted_at, run_pk = excluded.run_pk
WHERE records.data IS NOT excluded.data AND NOT ` + db.SameJSONFunction + `(records.data, excluded.data)`

	// reviveRecord turns a tombstone into a record again.
	reviveRecord = `UPDATE records SET seq = ?, data = ?, deleted = 0, emitted_at = ?, run_pk = ?
WHERE stream_id = ? AND key = ? AND deleted = 1`

	// buryRecord turns a record into a tombstone.
	buryRecord = `UPDATE records SET seq = ?, data = NULL, deleted = 1, emitted_at = ?, run_pk = ?
WHERE stream_id = ? AND key = ? AND deleted = 0`

	// insertTombstone keeps a deletion of a key that was never seen, so that
	// whoever has it from elsewhere learns of it (RT-07.1).
	insertTombstone = `INSERT INTO records (seq, stream_id, key, data, deleted, emitted_at, run_pk)
VALUES (?, ?, ?, NULL, 1, ?, ?) ON CONFLICT (stream_id, key) DO NOTHING`
)

// unmark sets the connection's last inserted row id, which an insert into any
// table moves, to what is no sequence. From then on it tells an inserted record
// from an updated one.
const (
	markTable = `CREATE TEMP TABLE mark (id INTEGER PRIMARY KEY)`
	unmark    = `REPLACE INTO temp.mark (id) VALUES (-1)`
)

// Setup and Statements are db.Options' of the record path, the statements by
// their index.
var (
	Setup      = []string{markTable}
	Statements = []string{stUnmark: unmark, stUpsert: UpsertRecord, stRevive: reviveRecord, stBury: buryRecord, stTombstone: insertTombstone, stDeliver: endRejection}
)

const (
	stUnmark = iota
	stUpsert
	stRevive
	stBury
	stTombstone
	stDeliver
)

// run executes a statement of the record path and says whether it changed a row, and
// whether that row was inserted with seq (see unmark).
func run(t *db.Tx, statement int, seq int64, values ...any) (changed, inserted bool, err error) {
	res, err := t.Exec(statement, values...)
	if err != nil {
		return false, false, err
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return false, false, err
	}
	if t.Server() != nil {
		return true, false, nil
	}
	id, err := res.LastInsertId()
	return true, id == seq, err
}

// Put writes the records of a batch, marks those that an enumeration meets, and lists which
// others were rejected.
func Put(t *db.Tx, to *Target, b *Batch) error {
	put := putRecords
	if t.Server() != nil {
		put = putRecordsServer
	}
	if err := put(t, to, b); err != nil {
		return err
	}
	if err := markBatch(t, to, b); err != nil {
		return err
	}
	return FollowRejections(t, to, b)
}

// putRecords writes the records of a batch and counts what they did.
func putRecords(t *db.Tx, to *Target, b *Batch) error {
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
