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
	removeIndexed = `WITH gone AS (DELETE FROM read_rows AS r USING unnest($1, $2) AS i (stream_id, key)
WHERE r.stream_id = i.stream_id AND r.key = i.key RETURNING r.stream_id, r.key, r.seq, r.sort, r.day, r.docs),
ordered AS (DELETE FROM read_order AS o USING gone WHERE o.stream_id = gone.stream_id AND o.sort = gone.sort AND o.key = gone.key),
worded AS (DELETE FROM read_fts AS f USING gone WHERE gone.docs > 0 AND f.docid BETWEEN gone.seq * 256 AND gone.seq * 256 + 255)
SELECT stream_id, day FROM gone`
	copyRows  = `COPY read_rows (stream_id, key, seq, sort, day, docs) FROM STDIN BINARY`
	copyOrder = `COPY read_order (stream_id, sort, key) FROM STDIN BINARY`
	addWords  = `INSERT INTO read_fts (docid, words) SELECT docid, words::tsvector FROM unnest($1, $2) AS i (docid, words)`
)

func (a *applying) applyServer(entries []Entry, known map[int64]bool) error {
	n := len(entries)
	streams, keys := postgres.Ints(n), postgres.Texts(n)
	rows, order := postgres.NewRows(6, 100*n), postgres.NewRows(3, 100*n)
	ids, words := postgres.Ints(n), postgres.Texts(n)
	for i := range entries {
		e := &entries[i]
		if !known[e.StreamID] {
			continue
		}
		streams.Int(e.StreamID)
		keys.Add([]byte(e.Key))
		if !e.Live {
			continue
		}
		a.days[dayKey{e.StreamID, e.Day}]++
		rows.Next()
		rows.Int(e.StreamID)
		rows.Text([]byte(e.Key))
		rows.Int(e.Seq)
		rows.Text(e.Sort)
		rows.Int(e.Day)
		rows.Int(int64(len(e.Docs)))
		order.Next()
		order.Int(e.StreamID)
		order.Text(e.Sort)
		order.Text([]byte(e.Key))
		for _, d := range e.Docs {
			ids.Int(docid(e.Seq, d.Field))
			words.Add(vector(&d))
		}
	}
	err := postgres.Query(a.t.Ctx, a.t.Server(), removeIndexed, func(f [][]byte) {
		a.days[dayKey{int64(binary.BigEndian.Uint64(f[0])), int64(binary.BigEndian.Uint64(f[1]))}]-- //nolint:gosec // two's complement, as sent
	}, streams, keys)
	if err == nil {
		err = rows.Copy(a.t.Ctx, a.t.Server(), copyRows)
	}
	if err == nil {
		err = order.Copy(a.t.Ctx, a.t.Server(), copyOrder)
	}
	if err == nil && ids.Len() > 0 {
		err = postgres.Query(a.t.Ctx, a.t.Server(), addWords, func([][]byte) {}, ids, words)
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
	b.WriteString(lexeme(scopeMark + d.Scope))
	for w, at := range places {
		b.WriteString(" " + lexeme(w) + ":")
		for i, p := range at {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(p))
		}
	}
	return b.Bytes()
}

// lexeme quotes a word.
func lexeme(w string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(w, `\`, `\\`), "'", "''") + "'"
}
