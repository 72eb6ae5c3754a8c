package record

import "github.com/pdpp-host/pdpp-host/storage/internal/db"

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

// endRejection takes a record that arrived from the list.
const endRejection = `DELETE FROM rejected_records WHERE stream_id = ? AND key_sha256 = ?`

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
