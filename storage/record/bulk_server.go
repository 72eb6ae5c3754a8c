package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// The record path of PostgreSQL. Nobody else writes while a transaction does, so that one
// statement asks what the server has of a batch's keys, the batch is decided here, record
// by record and with the same result as in SQLite, and what is new goes into the table by
// COPY. An unchanged record is not sent at all: its hash is.
const (
	// lookRecords is fenced by OFFSET 0, so that each key is looked up by the index,
	// whatever the planner thinks of the table.
	lookRecords = `SELECT i.n, r.ctid, r.deleted <> 0, r.hash IS NOT NULL AND r.hash = i.hash, CASE WHEN r.hash <> i.hash THEN r.data END
FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS i (stream_id, key, size, hash, n)
CROSS JOIN LATERAL (SELECT ctid, deleted, data, CASE WHEN octet_length(data) = i.size THEN sha256(convert_to(data, 'UTF8')) END AS hash
FROM records WHERE stream_id = i.stream_id AND key = i.key OFFSET 0) AS r`

	copyRecords = `COPY records (seq, stream_id, key, data, deleted, emitted_at, run_pk) FROM STDIN BINARY`

	changeRecords = `UPDATE records AS r SET seq = i.seq, data = i.data, deleted = i.deleted, emitted_at = i.emitted_at, run_pk = i.run_pk
FROM unnest($1, $2, $3, $4, $5, $6) AS i (id, seq, data, deleted, emitted_at, run_pk) WHERE r.ctid = i.id`
)

// recordKey names a record.
type recordKey struct {
	stream int64
	key    string // lives as long as the batch
}

// onServer is what the server has of a record of the batch.
type onServer struct {
	id      []byte // of its row; nil: there is none
	deleted bool
	same    bool   // its data is the batch's
	data    []byte // where it is as long as the batch's, and not the same
}

// decided is the state of a key within the batch.
type decided struct {
	onServer
	by  int   // the row of the batch that it is from; -1: the server's
	seq int64 // of its last change
}

// putRecordsServer is putRecords on a server.
func putRecordsServer(t *db.Tx, to *Target, b *Batch, erased []bool) error {
	if err := postgres.CheckText(b.text(0, int32(len(b.arena)))); err != nil {
		return err
	}
	seq, err := OpenSequence(t)
	if err != nil {
		return err
	}
	tallies, err := OpenTallies(t, to)
	if err != nil {
		return err
	}
	known, err := lookUp(t, to, b)
	if err != nil {
		return err
	}
	keys := make(map[recordKey]*decided, len(b.rows))
	all := make([]decided, len(b.rows)) // one a key, at its first row
	for i := range b.rows {
		r := &b.rows[i]
		if erased != nil && erased[i] {
			tallies[r.stream].Suppressed++
			continue
		}
		at := recordKey{to.Streams[r.stream].ID, b.text(r.at, r.key)}
		d := keys[at]
		if d == nil {
			d = &all[i]
			*d = decided{onServer: known[i], by: -1}
			keys[at] = d
		}
		decide(seq, &tallies[r.stream], b, i, d, known[i])
	}
	fresh, moved := postgres.NewRows(7, len(b.arena)+60*len(b.rows)), newMoved()
	for i := range b.rows {
		r := &b.rows[i]
		stream := to.Streams[r.stream].ID
		d := keys[recordKey{stream, b.text(r.at, r.key)}]
		if d == nil || d.by != i { // nil: erased
			continue
		}
		data, gone := b.data(r), int64(0)
		if r.del {
			data, gone = nil, 1
		}
		if d.id != nil {
			moved.add(d.id, d.seq, data, gone, b.when(r), to.RunPK)
			continue
		}
		fresh.Next()
		fresh.Int(d.seq)
		fresh.Int(stream)
		fresh.Text(b.arena[r.at:][:r.key])
		fresh.Text(data)
		fresh.Int(gone)
		fresh.Text(b.when(r))
		fresh.Int(to.RunPK)
	}
	if err := fresh.Copy(t.Ctx, t.Server(), copyRecords); err != nil {
		return err
	}
	return moved.write(t)
}

// decide says what row i of the batch does to its key, whose state is d. has is what the
// server has, compared with this row.
func decide(seq *sequence, c *Tally, b *Batch, i int, d *decided, has onServer) {
	r := &b.rows[i]
	exists := d.id != nil || d.by >= 0
	switch {
	case r.moved && (!exists || d.deleted):
		return
	case r.del && exists && d.deleted:
		c.Unchanged++
		return
	case r.del:
		if exists {
			c.live--
		}
		c.dead++
		c.Deleted++
	case !exists:
		c.New++
		c.live++
	case d.deleted:
		c.live++
		c.dead--
		c.Changed++
	case d.by < 0 && (has.same || has.data != nil && db.SameJSON(has.data, b.data(r))),
		d.by >= 0 && sameData(b.data(&b.rows[d.by]), b.data(r)):
		c.Unchanged++
		return
	default:
		c.Changed++
	}
	seq.Last++
	d.by, d.seq, d.deleted, c.lastSeq = i, seq.Last, r.del, seq.Last
}

func sameData(a, b []byte) bool { return bytes.Equal(a, b) || db.SameJSON(a, b) }

// lookUp asks for what the server has of each row's key.
func lookUp(t *db.Tx, to *Target, b *Batch) ([]onServer, error) {
	n := len(b.rows)
	streams, keys, sizes, hashes := postgres.Ints(n), postgres.Texts(n), postgres.Ints(n), postgres.Bytes(n)
	for i := range b.rows {
		r := &b.rows[i]
		hash := sha256.Sum256(b.data(r))
		streams.Int(to.Streams[r.stream].ID)
		keys.Add(b.arena[r.at:][:r.key])
		sizes.Int(int64(r.data))
		hashes.Add(hash[:])
	}
	out := make([]onServer, n)
	err := postgres.Query(t.Ctx, t.Server(), lookRecords, func(f [][]byte) {
		i := binary.BigEndian.Uint64(f[0]) - 1
		out[i] = onServer{id: bytes.Clone(f[1]), deleted: f[2][0] != 0, same: f[3][0] != 0, data: bytes.Clone(f[4])}
	}, streams, keys, sizes, hashes)
	return out, err
}

// movedRows are rows that the server has and that change.
type movedRows struct {
	ids, seqs, data, gone, when, runs *postgres.Array
}

func newMoved() *movedRows {
	return &movedRows{postgres.TIDs(0), postgres.Ints(0), postgres.Texts(0), postgres.Ints(0), postgres.Texts(0), postgres.Ints(0)}
}

func (m *movedRows) add(id []byte, seq int64, data []byte, gone int64, when []byte, run int64) {
	m.ids.Add(id)
	m.seqs.Int(seq)
	m.data.Add(data)
	m.gone.Int(gone)
	m.when.Add(when)
	m.runs.Int(run)
}

func (m *movedRows) write(t *db.Tx) error {
	if m.ids.Len() == 0 {
		return nil
	}
	return postgres.Query(t.Ctx, t.Server(), changeRecords, func([][]byte) {}, m.ids, m.seqs, m.data, m.gone, m.when, m.runs)
}
