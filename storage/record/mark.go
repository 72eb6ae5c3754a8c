package record

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// hashSize is the size of a metHash.
const hashSize = 8

// metHash is the hash of a key by which it counts as met: the first bytes of its SHA-256. Two
// keys that share one are taken for one: the one that is gone stays until the other one goes.
func metHash(key []byte) uint64 {
	sum := sha256.Sum256(key)
	return binary.BigEndian.Uint64(sum[:])
}

// batchMarks gathers what one batch marks in one enumeration.
type batchMarks struct {
	hashes []byte
	keys   keyList // of a part alone
}

// there marks a record that is there, in whichever part.
func (m *batchMarks) there(key []byte) {
	m.hashes = binary.BigEndian.AppendUint64(m.hashes, metHash(key))
}

func (m *batchMarks) add(o *opened, key []byte) {
	m.there(key)
	if o.part {
		m.keys.add(key)
	}
}

// MarkBatch marks the batch's records as met: each in the enumeration of its stream that is
// active. Without an enumeration it costs nothing.
//
// Where none is active, a record is met in each enumeration of its stream that is not swept: it
// is there, whatever its list has said before. Which part holds it, nobody said.
func MarkBatch(t *db.Tx, to *Target, b *Batch) error {
	if len(to.opened) == 0 {
		return nil
	}
	met, outside := map[*opened]*batchMarks{}, map[int64]*batchMarks{}
	for i := range b.rows {
		r := &b.rows[i]
		if r.del {
			continue
		}
		stream, key := to.Streams[r.stream].ID, b.arena[r.at:][:r.key]
		if o := to.active[stream]; o != nil {
			marksOf(met, o).add(o, key)
		} else {
			marksOf(outside, stream).there(key)
		}
	}
	for o, m := range met {
		if err := m.write(t, o); err != nil {
			return err
		}
	}
	for stream, m := range outside {
		for _, o := range to.unswept(stream) {
			if err := m.write(t, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func marksOf[K comparable](all map[K]*batchMarks, of K) *batchMarks {
	m := all[of]
	if m == nil {
		m = &batchMarks{}
		all[of] = m
	}
	return m
}

// MarkKeys marks records as met that the connector names by their keys.
func MarkKeys(t *db.Tx, to *Target, e Enumeration, keys []string) error {
	o := to.opened[e]
	if o == nil {
		return nil
	}
	var m batchMarks
	for _, key := range keys {
		m.add(o, []byte(key))
		if o.handed {
			if err := rememberKey(t, o.stream, key); err != nil {
				return err
			}
		}
	}
	return m.write(t, o)
}

// MarkDetail marks the records of a detail that is there and still to fetch: that of its
// key, and those whose keys begin with it and a colon. They are met in each enumeration of the
// stream that is not swept, open or closed.
func MarkDetail(t *db.Tx, to *Target, stream, key string) error {
	active := to.active[to.StreamID(stream)]
	for _, o := range to.unswept(to.StreamID(stream)) {
		if err := o.markDetail(t, key, o == active); err != nil { // of another part nobody said that it holds the record
			return err
		}
	}
	return nil
}

// RecallDetails marks the records of details as met in an enumeration that was opened after they were deferred.
func RecallDetails(t *db.Tx, to *Target, e Enumeration, keys []string) error {
	o := to.opened[e]
	if o == nil {
		return nil
	}
	for _, key := range keys {
		if err := o.markDetail(t, key, false); err != nil {
			return err
		}
	}
	return nil
}

func (o *opened) markDetail(t *db.Tx, key string, holds bool) error {
	var m batchMarks
	err := eachKey(t, func(key string) bool {
		m.add(o, []byte(key))
		return true
	}, "SELECT key FROM "+o.keys()+" WHERE stream_id = ? AND (key = ? OR key >= ? AND key < ?)", o.stream, key, key+":", key+";")
	if err != nil {
		return err
	}
	if !holds {
		m.keys = nil
	}
	return m.write(t, o)
}

// write appends what was met. A part besides keeps which records it holds.
func (m *batchMarks) write(t *db.Tx, o *opened) error {
	if len(m.hashes) == 0 {
		return nil
	}
	last, err := lastMet(t, o)
	if err != nil {
		return err
	}
	if _, err = t.DB.ExecContext(t.Ctx, "INSERT INTO met (enumeration_id, n, hashes) VALUES (?, ?, ?)", o.id, last+1, m.hashes); err != nil {
		return err
	}
	if !o.part { // what was met is enough for the whole stream
		return nil
	}
	_, err = t.DB.ExecContext(t.Ctx, withKeys(t, `INSERT INTO marks (enumeration_id, key, stream_id, generation)
SELECT ?, value, ?, 0 FROM keys WHERE true ON CONFLICT (enumeration_id, key) DO NOTHING`), m.keys.json(), o.id, o.stream)
	return err
}

// lastMet returns the number of the enumeration's last row of met; 0: there is none.
func lastMet(t *db.Tx, o *opened) (n int64, err error) {
	err = t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(n), 0) FROM met WHERE enumeration_id = ?", o.id).Scan(&n)
	return n, err
}

// readMet reads what an enumeration has met: 8 bytes of memory for each key, until it is closed.
func readMet(t *db.Tx, o *opened) (*metKeys, error) {
	last, err := lastMet(t, o)
	if err != nil || o.met != nil && o.met.rows == last {
		return o.met, err
	}
	rows, err := t.DB.QueryContext(t.Ctx, "SELECT hashes FROM met WHERE enumeration_id = ?", o.id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	m := &metKeys{rows: last}
	for rows.Next() {
		var hashes []byte
		if err := rows.Scan(&hashes); err != nil {
			return nil, err
		}
		for ; len(hashes) >= hashSize; hashes = hashes[hashSize:] {
			m.hashes = append(m.hashes, binary.BigEndian.Uint64(hashes))
		}
	}
	slices.Sort(m.hashes)
	m.hashes = slices.Compact(m.hashes)
	// Not before: the rows of a transaction that is rolled back are written anew.
	t.AfterCommit(func() { o.met = m })
	return m, rows.Err()
}

func (m *metKeys) has(key string) bool {
	_, met := slices.BinarySearch(m.hashes, metHash([]byte(key)))
	return met
}

// eachKey calls fn with the keys that a query selects, until it returns false.
func eachKey(t *db.Tx, fn func(key string) bool, query string, args ...any) error {
	rows, err := t.DB.QueryContext(t.Ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return err
		}
		if !fn(key) {
			return nil
		}
	}
	return rows.Err()
}

// withKeys gives a statement the table keys, whose column value is read from its first
// argument, a JSON array of texts.
func withKeys(t *db.Tx, statement string) string {
	if t.Server() != nil {
		return "WITH keys AS (SELECT value FROM jsonb_array_elements_text(CAST(? AS jsonb))) " + statement
	}
	return "WITH keys AS (SELECT value FROM json_each(?)) " + statement
}

// keyList is a JSON array of keys without its brackets, each behind a comma.
type keyList []byte

func (l *keyList) add(key []byte) { *l = appendText(append(*l, ','), key) }

// json returns the array. Nothing is added to the list afterwards.
func (l *keyList) json() string {
	if len(*l) == 0 {
		return "[]"
	}
	(*l)[0] = '['
	return string(append(*l, ']'))
}

// keyTexts returns the JSON array of keys.
func keyTexts(keys []string) string {
	var l keyList
	for _, key := range keys {
		l.add([]byte(key))
	}
	return l.json()
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
