package read

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// The same on PostgreSQL, where a statement takes many rows.
const (
	lookIndexed = `SELECT i.n, r.seq, r.day, r.born_seq, r.born_us, r.since_seq, r.time, r.fields FROM unnest($1, $2) WITH ORDINALITY AS i (stream_id, key, n)
CROSS JOIN LATERAL (SELECT seq, day, born_seq, born_us, since_seq, time, fields FROM read_rows WHERE stream_id = i.stream_id AND key = i.key OFFSET 0) AS r`
	removeIndexed = `WITH gone AS (DELETE FROM read_rows AS r USING unnest($1, $2) AS i (stream_id, key)
WHERE r.stream_id = i.stream_id AND r.key = i.key RETURNING r.stream_id, r.key, r.seq, r.sort, r.docs, r.blobs, r.links),
ordered AS (DELETE FROM read_order AS o USING gone WHERE o.stream_id = gone.stream_id AND o.sort = gone.sort AND o.key = gone.key),
unreferred AS (DELETE FROM read_blobs AS b USING gone WHERE gone.blobs > 0 AND b.stream_id = gone.stream_id AND b.key = gone.key),
unlinked AS (DELETE FROM read_links AS k USING gone WHERE gone.links > 0 AND k.stream_id = gone.stream_id AND k.key = gone.key)
DELETE FROM read_fts AS f USING gone WHERE gone.docs > 0 AND f.docid BETWEEN -(gone.seq * 256 + 255) AND -(gone.seq * 256)`
	copyRows      = `COPY read_rows (stream_id, key, seq, sort, day, docs, blobs, links, emitted, ` + historyColumns + `) FROM STDIN BINARY`
	copyOrder     = `COPY read_order (stream_id, sort, key) FROM STDIN BINARY`
	copyLinks     = `COPY read_links (stream_id, link, sort, key) FROM STDIN BINARY`
	addWords      = `INSERT INTO read_fts (docid, words) SELECT docid, words::tsvector FROM unnest($1, $2) AS i (docid, words)`
	addBlobs      = `INSERT INTO read_blobs (sha256, stream_id, field, key) SELECT sha256, stream_id, field, key FROM unnest($1, $2, $3, $4) AS i (sha256, stream_id, field, key) ON CONFLICT DO NOTHING`
	removeChanges = `DELETE FROM read_changes AS c USING unnest($1, $2) AS i (stream_id, seq) WHERE c.stream_id = i.stream_id AND c.seq = i.seq`
	addChanges    = `INSERT INTO read_changes (stream_id, seq, key) SELECT stream_id, seq, key FROM unnest($1, $2, $3) AS i (stream_id, seq, key) ON CONFLICT (stream_id, seq) DO UPDATE SET key = excluded.key`
	removePast    = `DELETE FROM read_past AS p USING unnest($1, $2) AS i (stream_id, key) WHERE p.stream_id = i.stream_id AND p.key = i.key`
	addPast       = `INSERT INTO read_past (stream_id, until_seq, key, from_seq, time, until_us, indexed_us) SELECT stream_id, until_seq, key, from_seq, time, until_us, indexed_us
FROM unnest($1, $2, $3, $4, $5, $6, $7) AS i (stream_id, until_seq, key, from_seq, time, until_us, indexed_us)
ON CONFLICT (stream_id, until_seq) DO NOTHING`
)

// batch is what the entries of one transaction do on a server.
type batch struct {
	streams, keys, ids, words   *postgres.Array
	rows, order, links          *postgres.Rows
	dropStreams, drops          *postgres.Array
	addStreams, adds, addedKeys *postgres.Array
	blobs                       [4]*postgres.Array // by column
	past                        [7]*postgres.Array // by column
}

func newBatch(n int) *batch {
	return &batch{
		streams: postgres.Ints(n), keys: postgres.Texts(n), ids: postgres.Ints(n), words: postgres.Texts(n),
		rows: postgres.NewRows(14, 280*n), order: postgres.NewRows(3, 100*n), links: postgres.NewRows(4, 0),
		dropStreams: postgres.Ints(n), drops: postgres.Ints(n), addStreams: postgres.Ints(n), adds: postgres.Ints(n), addedKeys: postgres.Texts(n),
		blobs: [4]*postgres.Array{postgres.Bytes(0), postgres.Ints(0), postgres.Ints(0), postgres.Texts(0)},
		past:  [7]*postgres.Array{postgres.Ints(0), postgres.Ints(0), postgres.Texts(0), postgres.Ints(0), postgres.Bytes(0), postgres.Ints(0), postgres.Ints(0)},
	}
}

func (a *applying) applyServer(entries []Entry, known map[int64]bool) error {
	old, err := a.lookUp(entries)
	if err != nil {
		return err
	}
	b := newBatch(len(entries))
	for i := range entries {
		e := &entries[i]
		if known[e.StreamID] && (old[i] == nil || old[i].seq <= e.Seq) { // else a stream that is made anew was ahead
			a.add(b, e, old[i])
		}
	}
	return b.write(a)
}

// before is what the read state has of an entry's record.
type before struct {
	History

	seq, day int64
}

// lookUp asks for what the read state has of each entry's record; nil: it has none.
func (a *applying) lookUp(entries []Entry) ([]*before, error) {
	streams, keys, old := postgres.Ints(len(entries)), postgres.Texts(len(entries)), make([]*before, len(entries))
	for i := range entries {
		streams.Int(entries[i].StreamID)
		keys.Add([]byte(entries[i].Key))
	}
	number := func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) } //nolint:gosec // two's complement, as sent
	err := postgres.Query(a.t.Ctx, a.t.Server(), lookIndexed, func(f [][]byte) {
		b := &before{seq: number(f[1]), day: number(f[2]), History: History{Born: number(f[3]), BornUS: number(f[4]), Since: number(f[5]), Time: bytes.Clone(f[6])}}
		b.unpack(f[7])
		old[number(f[0])-1] = b
	}, streams, keys)
	return old, err
}

func (a *applying) add(b *batch, e *Entry, old *before) {
	b.streams.Int(e.StreamID)
	b.keys.Add([]byte(e.Key))
	var history *History
	if old != nil {
		history = &old.History
		a.days[dayKey{e.StreamID, old.day}]--
	}
	f := follow(history, e, a.anew)
	for _, seq := range f.drop {
		b.dropStreams.Int(e.StreamID)
		b.drops.Int(seq)
	}
	for _, seq := range f.add {
		b.addStreams.Int(e.StreamID)
		b.adds.Int(seq)
		b.addedKeys.Add([]byte(e.Key))
	}
	if p := f.past; p != nil {
		for i, v := range map[int]int64{0: e.StreamID, 1: p.Until, 3: p.From, 5: p.UntilUS, 6: a.t.Now.UnixMicro()} {
			b.past[i].Int(v)
		}
		b.past[2].Add([]byte(p.Key))
		b.past[4].Add(p.Time)
	}
	if !e.Live {
		return
	}
	a.days[dayKey{e.StreamID, e.Day}]++
	b.rows.Next()
	b.rows.Int(e.StreamID)
	b.rows.Text([]byte(e.Key))
	b.rows.Int(e.Seq)
	b.rows.Text(e.Sort)
	b.rows.Int(e.Day)
	b.rows.Int(int64(len(e.Docs)))
	b.rows.Int(int64(len(e.Blobs)))
	b.rows.Int(int64(len(e.Links)))
	b.rows.Text(e.Emitted)
	b.rows.Int(f.now.Born)
	b.rows.Int(f.now.BornUS)
	b.rows.Int(f.now.Since)
	b.rows.Text(f.now.Time)
	b.rows.Text(f.now.packed())
	b.order.Next()
	b.order.Int(e.StreamID)
	b.order.Text(e.Sort)
	b.order.Text([]byte(e.Key))
	for _, d := range e.Docs {
		b.ids.Int(docid(e.Seq, d.Field))
		b.words.Add(vector(&d))
	}
	for _, link := range e.Links {
		b.links.Next()
		b.links.Int(e.StreamID)
		b.links.Int(link)
		b.links.Text(e.Sort)
		b.links.Text([]byte(e.Key))
	}
	for i := range e.Blobs {
		b.blobs[0].Add(e.Blobs[i].SHA256[:])
		b.blobs[1].Int(e.StreamID)
		b.blobs[2].Int(int64(e.Blobs[i].Field))
		b.blobs[3].Add([]byte(e.Key))
	}
}

func (b *batch) write(a *applying) error {
	do := func(statement string, arrays ...*postgres.Array) error {
		if arrays[0].Len() == 0 {
			return nil
		}
		return postgres.Query(a.t.Ctx, a.t.Server(), statement, func([][]byte) {}, arrays...)
	}
	err := do(removeIndexed, b.streams, b.keys)
	if err == nil {
		err = b.rows.Copy(a.t.Ctx, a.t.Server(), copyRows)
	}
	if err == nil {
		err = b.order.Copy(a.t.Ctx, a.t.Server(), copyOrder)
	}
	if err == nil {
		err = b.links.Copy(a.t.Ctx, a.t.Server(), copyLinks)
	}
	if err == nil {
		err = do(addWords, b.ids, b.words)
	}
	if err == nil {
		err = do(addBlobs, b.blobs[:]...)
	}
	if err == nil {
		err = do(removeChanges, b.dropStreams, b.drops)
	}
	if err == nil {
		err = do(addChanges, b.addStreams, b.adds, b.addedKeys)
	}
	if err == nil && a.anew {
		err = do(removePast, b.streams, b.keys)
	}
	if err == nil {
		err = do(addPast, b.past[:]...)
	}
	return err
}

// scopeMark begins the lexeme of a scope. No word has it.
const scopeMark = "#"

// mostPlaces is how many places of one lexeme a tsvector keeps.
const mostPlaces = 255

// vector writes the words as a tsvector, which has each with its places.
func vector(d *Doc) []byte {
	places := map[string][]int{}
	for i, w := range d.Words {
		if at := places[w]; len(at) < mostPlaces {
			places[w] = append(at, i+1)
		}
	}
	var b bytes.Buffer
	for _, s := range d.Scopes {
		b.WriteString(lexeme(scopeMark+s) + " ")
	}
	for w, at := range places {
		b.WriteString(lexeme(w) + ":")
		for i, p := range at {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(p))
		}
		b.WriteByte(' ')
	}
	return b.Bytes()
}

// lexeme quotes a word.
func lexeme(w string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(w, `\`, `\\`), "'", "''") + "'"
}
