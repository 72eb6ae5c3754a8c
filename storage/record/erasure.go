package record

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// erasureKey is a record's key as erasures looks it up.
func erasureKey(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// EraseRecord deletes a record at its owner's word, in one transaction: it becomes a tombstone,
// no run brings it back, and the artifacts go that no other record of its connection refers to.
// Without such a record it is record.unknown.
func (s *Store) EraseRecord(ctx context.Context, connection, stream, key string) error {
	st, err := s.streamOf(ctx, connection, stream)
	if err != nil {
		return err
	}
	for tries := 0; ; tries++ {
		e, err := s.lookAt(ctx, st, key)
		if err != nil {
			return err
		}
		moved := false
		err = s.db.Alone(ctx, "delete the record", func(t *db.Tx) error {
			err := e.erase(t)
			moved = errors.Is(err, errMoved)
			return err
		})
		if moved && tries == maxTries {
			return abi.NewError(abi.CodeStoreLocked, "the record changes all the time, and is not deleted", "delete it when no run writes it").Wrap(err)
		}
		if !moved {
			return err
		}
	}
}

// maxTries bounds how often a record that changes meanwhile is looked at again.
const maxTries = 9

// errMoved undoes a transaction for a record that has changed since it was looked at.
var errMoved = errors.New("the record has changed")

// erasing is a record on its way out.
type erasing struct {
	stream *tables.StreamRow
	key    string
	seq    int64    // of the record, when it was looked at
	last   int64    // of the store, before it was
	blobs  []string // artifacts that no other record with a seq up to last refers to
}

var (
	// blobNames finds what may be the name of an artifact, wherever it stands in a record.
	blobNames = regexp.MustCompile(`[0-9a-f]{64}`)
	// hexes finds what may hold the name of an artifact, from any place on.
	hexes = regexp.MustCompile(`[0-9a-f]{64,}`)
)

// lookAt reads a record, and which artifacts go with it. It holds no lock while it reads every
// record of the connection.
func (s *Store) lookAt(ctx context.Context, st *tables.StreamRow, key string) (*erasing, error) {
	e := &erasing{stream: st, key: key}
	var data string
	err := s.db.Read.QueryRowContext(ctx, "SELECT seq, data, (SELECT value FROM counters WHERE name = 'change') FROM records WHERE stream_id = ? AND key = ? AND deleted = 0", st.ID, key).
		Scan(&e.seq, &data, &e.last)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noRecord(st.Name)
	}
	names := blobNames.FindAllString(data, -1)
	if err != nil || len(names) == 0 {
		return e, s.db.Fail("read the record", err)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var kept []string
	if err := s.db.Read.NewRaw("SELECT sha256 FROM device_blobs WHERE connection_id = ? AND sha256 IN (?)", st.ConnectionID, bun.List(names)).Scan(ctx, &kept); err != nil {
		return nil, s.db.Fail("find its artifacts", err)
	}
	e.blobs, err = unreferred(ctx, s.db.Read, st.ConnectionID, kept, 0, e.seq)
	return e, s.db.Fail("find its artifacts", err)
}

// unreferred returns which artifacts of a connection no live record of it with a seq above after
// refers to, but for the one with the seq except. It reads all those records, once.
func unreferred(ctx context.Context, q bun.IDB, connectionID string, names []string, after, except int64) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	of := "stream_id IN (SELECT id FROM streams WHERE connection_id = ?) AND deleted = 0 AND seq <> ?"
	if after > 0 {
		of = fmt.Sprintf("seq > %d AND +%s", after, of) // by seq: they are few
	}
	rows, err := q.QueryContext(ctx, "SELECT data FROM records WHERE "+of, connectionID, except)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	left := map[string]bool{}
	for _, name := range names {
		left[name] = true
	}
	var data sql.RawBytes
	for len(left) > 0 && rows.Next() {
		if err := rows.Scan(&data); err != nil {
			return nil, err
		}
		for _, hex := range hexes.FindAll(data, -1) {
			for ; len(hex) >= 2*sha256.Size; hex = hex[1:] {
				delete(left, string(hex[:2*sha256.Size]))
			}
		}
	}
	return slices.Sorted(maps.Keys(left)), rows.Err()
}

func noRecord(stream string) error {
	return abi.NewError(abi.CodeRecordUnknown, "stream "+stream+" has no record with that key", "`pdpp-host records list` shows the keys there are")
}

// erase deletes the record, or returns errMoved.
//
// Invariant 13: what an owner has deleted comes back at the owner's word alone.
func (e *erasing) erase(t *db.Tx) error {
	var seq int64
	err := t.DB.QueryRowContext(t.Ctx, "SELECT r.seq FROM records AS r JOIN streams AS s ON s.id = r.stream_id WHERE s.id = ? AND s.connection_id = ? AND s.removed = 0 AND r.key = ? AND r.deleted = 0",
		e.stream.ID, e.stream.ConnectionID, e.key).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return noRecord(e.stream.Name)
	}
	if err != nil {
		return err
	}
	if seq != e.seq {
		return errMoved
	}
	t.Erased = true
	if err := e.dropBlobs(t); err != nil {
		return err
	}
	sequence, err := OpenSequence(t)
	if err != nil {
		return err
	}
	sequence.Last++
	const bury = "UPDATE records SET seq = ?, data = NULL, deleted = 1, emitted_at = ?, run_pk = 0 WHERE stream_id = ? AND key = ?"
	if _, err := t.DB.ExecContext(t.Ctx, bury, sequence.Last, t.Now.UTC().Format(time.RFC3339Nano), e.stream.ID, e.key); err != nil {
		return err
	}
	done, err := t.DB.ExecContext(t.Ctx, "INSERT INTO erasures (connection_id, stream, key_sha256, key, erased_us) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		e.stream.ConnectionID, e.stream.Name, erasureKey([]byte(e.key)), e.key, db.Micros(t.Now))
	if err != nil {
		return err
	}
	fresh, err := done.RowsAffected() // none: a program of the version before has brought the record back
	if err != nil {
		return err
	}
	hash := HashKey([]byte(e.key))
	ended, err := t.DB.ExecContext(t.Ctx, endRejection, e.stream.ID, hash[:])
	if err != nil {
		return err
	}
	rejected, err := ended.RowsAffected()
	if err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE streams SET live = live - 1, deleted = deleted + 1, last_seq = ?, erased = erased + ?, rejected = rejected - ? WHERE id = ?", sequence.Last, fresh, rejected, e.stream.ID)
	if err != nil {
		return err
	}
	change, err := evidence.ChangeOf(t, e.stream.ConnectionID)
	if err != nil {
		return err
	}
	change.Rejected = change.Rejected || rejected > 0
	if err := evidence.StoresMoved(t, e.stream.ConnectionID); err != nil {
		return err
	}
	n := int64(-1)
	if e.stream.Name == abi.StreamCoverage {
		n = 0
	}
	return evidence.Retain(t, e.stream.ConnectionID, n)
}

// dropBlobs removes the artifacts, but for those that a record written since lookAt refers to. One
// that has come since the last run of a device that succeeded may belong to a record that is still
// to come: DropErasedBlobs looks at it then.
func (e *erasing) dropBlobs(t *db.Tx) error {
	names, err := unreferred(t.Ctx, t.DB, e.stream.ConnectionID, e.blobs, e.last, e.seq)
	for _, name := range names {
		if err == nil {
			_, err = t.DB.ExecContext(t.Ctx, "INSERT INTO erased_blobs (connection_id, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING", e.stream.ConnectionID, name)
		}
	}
	if err != nil || len(names) == 0 {
		return err
	}
	var settled []string
	err = t.DB.NewRaw(`SELECT sha256 FROM device_blobs WHERE connection_id = ? AND sha256 IN (?) AND at_us < (SELECT max(c.at_us) FROM device_commits AS c
JOIN source_instances AS s ON s.id = c.source_id JOIN runs AS r ON r.run_id = c.run_id WHERE s.connection_id = ? AND r.status = 'succeeded')`,
		e.stream.ConnectionID, bun.List(names), e.stream.ConnectionID).Scan(t.Ctx, &settled)
	if err != nil {
		return err
	}
	return deleteBlobs(t, e.stream.ConnectionID, settled)
}

// DropErasedBlobs removes the artifacts of records that their owner has deleted, unless a record
// refers to them now. It is called when a run of a device has succeeded: all that the device
// collected until then has come.
func DropErasedBlobs(t *db.Tx, connectionID string) error {
	var names []string
	err := t.DB.NewRaw("SELECT e.sha256 FROM erased_blobs AS e JOIN device_blobs AS b ON b.connection_id = e.connection_id AND b.sha256 = e.sha256 WHERE e.connection_id = ?", connectionID).Scan(t.Ctx, &names)
	if err != nil || len(names) == 0 {
		return err
	}
	gone, err := unreferred(t.Ctx, t.DB, connectionID, names, 0, 0)
	if err != nil {
		return err
	}
	t.Erased = true
	if err := deleteBlobs(t, connectionID, gone); err != nil {
		return err
	}
	// The others have a record again. Those that are gone stay listed: the device may send them again.
	_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM erased_blobs WHERE connection_id = ? AND sha256 IN (SELECT sha256 FROM device_blobs WHERE connection_id = ?)", connectionID, connectionID)
	return err
}

func deleteBlobs(t *db.Tx, connectionID string, names []string) error {
	for _, table := range []string{"device_blob_parts", "device_blobs"} {
		if len(names) == 0 {
			break
		}
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM "+table+" WHERE connection_id = ? AND sha256 IN (?)", connectionID, bun.List(names)); err != nil {
			return err
		}
	}
	return nil
}

// RestoreRecord lets runs bring a record again that its owner has deleted, under whichever key it had or has. Its data is gone until
// one does. Where the owner has deleted no such record it is record.unknown.
func (s *Store) RestoreRecord(ctx context.Context, connection, stream, key string) error {
	st, err := s.streamOf(ctx, connection, stream)
	if err != nil {
		return err
	}
	return s.db.Alone(ctx, "let the record come again", func(t *db.Tx) error {
		done, err := t.DB.ExecContext(t.Ctx, `DELETE FROM erasures WHERE connection_id = ? AND stream = ? AND coalesce(first_sha256, key_sha256) =
(SELECT coalesce(first_sha256, key_sha256) FROM erasures WHERE connection_id = ? AND stream = ? AND key_sha256 = ?)`,
			st.ConnectionID, st.Name, st.ConnectionID, st.Name, erasureKey([]byte(key)))
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if err == nil && n == 0 {
			err = abi.NewError(abi.CodeRecordUnknown, "no record with that key was deleted from stream "+st.Name+" by its owner", "`pdpp-host records list --deleted` shows the keys of deleted records")
		}
		if err == nil {
			_, err = t.DB.ExecContext(t.Ctx, "UPDATE streams SET erased = erased - ? WHERE id = ?", n, st.ID)
		}
		return err
	})
}

// IsErased reports whether an owner has deleted a record, so that no run brings it back.
func (s *Store) IsErased(ctx context.Context, connectionID, stream, key string) (erased bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM erasures WHERE connection_id = ? AND stream = ? AND key_sha256 = ?)", connectionID, stream, erasureKey([]byte(key))).Scan(&erased)
	return erased, s.db.Fail("read the record", err)
}

// isErased reports whether an owner has deleted the record of a rejection.
func isErased(t *db.Tx, to *Target, r *rejection) (erased bool, err error) {
	first := hex.EncodeToString(r.key[:])
	err = t.DB.QueryRowContext(t.Ctx, "SELECT EXISTS (SELECT 1 FROM erasures WHERE connection_id = ? AND stream = ? AND key_sha256 >= ? AND key_sha256 < ?)",
		to.ConnectionID, to.Streams[r.stream].Name, first, first+"g").Scan(&erased)
	return erased, err
}

// maxCarried bounds how many keys an erasure holds for beside its own, whatever a connector says. None changes its keys as often.
const maxCarried = 16

// carryErasures has what an owner has deleted stay deleted under the key that its record has from now on. A record that came
// under that key before is another one's word, and stays.
//
// Invariant 13: a connector that gives a record another key brings nothing back.
func carryErasures(t *db.Tx, to *Target, b *Batch) error {
	for i := range b.rows {
		if !b.rows[i].moved {
			continue
		}
		tallies, err := OpenTallies(t, to)
		if err != nil {
			return err
		}
		from, row := b.Row(i), b.Row(i+1)
		c := &tallies[from.Stream]
		if c.erased == 0 || b.cameBefore(i, &row) {
			continue
		}
		done, err := t.DB.ExecContext(t.Ctx, `INSERT INTO erasures (connection_id, stream, key_sha256, key, erased_us, first_sha256)
SELECT e.connection_id, e.stream, ?, ?, e.erased_us, coalesce(e.first_sha256, e.key_sha256) FROM erasures AS e
WHERE e.connection_id = ? AND e.stream = ? AND e.key_sha256 = ? AND NOT EXISTS (SELECT 1 FROM records WHERE stream_id = ? AND key = ? AND deleted = 0)
AND (SELECT count(*) FROM erasures AS o WHERE o.connection_id = e.connection_id AND o.stream = e.stream AND o.first_sha256 = coalesce(e.first_sha256, e.key_sha256)) < ?
ON CONFLICT DO NOTHING`,
			erasureKey(row.Key), string(row.Key), to.ConnectionID, to.Streams[from.Stream].Name, erasureKey(from.Key), c.ID, string(row.Key), maxCarried)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if err == nil && n > 0 {
			c.erased += n
			_, err = t.DB.ExecContext(t.Ctx, "UPDATE streams SET erased = erased + ? WHERE id = ?", n, c.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cameBefore reports whether one of the first n rows has a record under the key of row.
func (b *Batch) cameBefore(n int, row *Row) bool {
	return slices.ContainsFunc(b.rows[:n], func(r batchRow) bool {
		return !r.del && int(r.stream) == row.Stream && bytes.Equal(b.arena[r.at:][:r.key], row.Key)
	})
}

// findErased returns which records of a batch their owner has deleted; nil: none. A batch of
// streams of which nothing was deleted costs no statement.
func findErased(t *db.Tx, to *Target, b *Batch) ([]bool, error) {
	tallies, err := OpenTallies(t, to)
	if err != nil {
		return nil, err
	}
	var erased []bool
	for i := range tallies {
		if tallies[i].erased == 0 {
			continue
		}
		var names keyList
		rows := map[string][]int{}
		for n := range b.rows {
			if r := &b.rows[n]; int(r.stream) == i && !r.del {
				name := erasureKey(b.arena[r.at:][:r.key])
				if rows[name] == nil {
					names.add([]byte(name))
				}
				rows[name] = append(rows[name], n)
			}
		}
		if len(rows) == 0 {
			continue
		}
		err := eachKey(t, func(name string) bool {
			if erased == nil {
				erased = make([]bool, len(b.rows))
			}
			for _, n := range rows[name] {
				erased[n] = true
			}
			return true
		}, withKeys(t, "SELECT e.key_sha256 FROM keys CROSS JOIN erasures AS e WHERE e.connection_id = ? AND e.stream = ? AND e.key_sha256 = keys.value"),
			names.json(), to.ConnectionID, to.Streams[i].Name)
		if err != nil {
			return nil, err
		}
	}
	return erased, nil
}
