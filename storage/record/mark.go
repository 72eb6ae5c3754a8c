package record

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

const (
	markKeysServer = `INSERT INTO marks (enumeration_id, key, stream_id, generation)
SELECT DISTINCT * FROM unnest($1, $2, $3, $4)` + onMarked

	// markDetail marks the records of one detail: that of its key, and those whose keys begin
	// with it and a colon.
	markDetail = `INSERT INTO marks (enumeration_id, key, stream_id, generation)
SELECT ?, key, ?, ? FROM records WHERE stream_id = ? AND (key = ? OR key >= ? AND key < ?)` + onMarked
)

// markBatch marks the batch's records as met in the enumerations that are open. Without
// one it costs nothing.
func markBatch(t *db.Tx, to *Target, b *Batch) error {
	if len(to.active) == 0 {
		return nil
	}
	var stream int32 = -1
	var keys *marking
	open := map[*opened]*marking{}
	for i := range b.rows {
		r := &b.rows[i]
		if r.del {
			continue
		}
		if r.stream != stream {
			stream, keys = r.stream, nil
			if o := to.active[to.Streams[stream].ID]; o != nil {
				if keys = open[o]; keys == nil {
					keys = newMarking(t, o)
					open[o] = keys
				}
			}
		}
		if keys != nil {
			keys.add(b.arena[r.at:][:r.key])
		}
	}
	for _, keys := range open {
		if err := keys.write(t); err != nil {
			return err
		}
	}
	return nil
}

// MarkKeys marks records as met that the connector names by their keys.
func MarkKeys(t *db.Tx, to *Target, e Enumeration, keys []string) error {
	o := to.opened[e]
	if o == nil || len(keys) == 0 {
		return nil
	}
	m := newMarking(t, o)
	for _, key := range keys {
		m.add([]byte(key))
	}
	return m.write(t)
}

// MarkDetail marks the records of a detail that is there and still to fetch.
func MarkDetail(t *db.Tx, to *Target, stream, key string) error {
	o := to.active[to.StreamID(stream)]
	if o == nil {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, markDetail, o.id, o.index, o.generation, o.stream, key, key+":", key+";")
	return err
}

// marking gathers the keys that one statement marks.
type marking struct {
	of   *opened
	json []byte // in SQLite: the keys, as a JSON array

	ids, keys, streams, generations *postgres.Array // on a server
}

func newMarking(t *db.Tx, o *opened) *marking {
	if t.Server() == nil {
		return &marking{of: o}
	}
	return &marking{of: o, ids: postgres.Ints(0), keys: postgres.Texts(0), streams: postgres.Ints(0), generations: postgres.Ints(0)}
}

func (m *marking) add(key []byte) {
	if m.keys == nil {
		m.json = appendText(append(m.json, ','), key)
		return
	}
	m.ids.Int(m.of.id)
	m.keys.Add(key)
	m.streams.Int(m.of.index)
	m.generations.Int(m.of.generation)
}

func (m *marking) write(t *db.Tx) error {
	if m.keys != nil {
		return postgres.Query(t.Ctx, t.Server(), markKeysServer, func([][]byte) {}, m.ids, m.keys, m.streams, m.generations)
	}
	if len(m.json) == 0 {
		return nil
	}
	m.json[0] = '['
	_, err := t.Exec(stMark, m.of.id, m.of.index, m.of.generation, string(append(m.json, ']')))
	return err
}

// appendText appends a key, which is valid UTF-8, as a JSON string.
func appendText(b, key []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range key {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
