package record

import (
	"bytes"
	"crypto/sha256"
	"unsafe"
)

// Batch holds records on their way to the store, in one arena that is reused.
// It is not safe for concurrent use, and belongs to the store once it is
// written.
type Batch struct {
	arena []byte
	rows  []batchRow
	bad   bool // a key that text columns cannot hold, or a stream below 0
	most  int  // the largest stream index
	moved int  // rows that are no record of their own, see AddMoved

	rejections []rejection // in the order of their arrival
}

// batchRow is one record: its parts lie one after another in the arena.
type batchRow struct {
	at     int // of the key
	key    int32
	data   int32
	when   int32
	stream int32
	del    bool
	moved  bool // of a tombstone: the next row is its record under another key, see AddMoved
}

// Add copies one record into the batch. stream is the index into
// NewRun.Streams, key the canonical key text, data the record's JSON (ignored
// for a deletion), emittedAt the time as the guest wrote it. All have passed
// the boundary: valid UTF-8, no NUL.
func (b *Batch) Add(stream int, key, data, emittedAt []byte, del bool) {
	if del {
		data = nil
	}
	if len(key) == 0 || bytes.IndexByte(key, 0) >= 0 || stream < 0 {
		b.bad = true
	}
	b.most = max(b.most, stream)
	b.rows = append(b.rows, batchRow{
		at: len(b.arena), key: int32(len(key)), data: int32(len(data)), when: int32(len(emittedAt)),
		stream: int32(stream), del: del,
	})
	b.arena = append(b.arena, key...)
	b.arena = append(b.arena, data...)
	b.arena = append(b.arena, emittedAt...)
}

// AddMoved is Add for a record that had the key from until now. The one under that key goes with it, and what the owner has
// deleted there stays deleted. It takes two rows: a tombstone, which leaves nothing where there is no record, and the record.
func (b *Batch) AddMoved(stream int, from, key, data, emittedAt []byte) {
	b.Add(stream, from, nil, emittedAt, true)
	b.rows[len(b.rows)-1].moved = true
	b.moved++
	b.Add(stream, key, data, emittedAt, false)
}

// Row is one record of a batch. Its bytes are the batch's own.
type Row struct {
	Stream          int
	Key, Data, When []byte
	Deleted         bool
	Moved           bool // the next row is the record that had this key
}

// Row returns the i-th record that was added.
func (b *Batch) Row(i int) Row {
	r := &b.rows[i]
	data := r.at + int(r.key)
	when := data + int(r.data)
	return Row{int(r.stream), b.arena[r.at:data], b.arena[data:when], b.arena[when:][:r.when], r.del, r.moved}
}

// Records returns how many records were added.
func (b *Batch) Records() int { return len(b.rows) }

// Fits reports whether every record has a key that can be kept, and one of the given
// number of streams.
func (b *Batch) Fits(streams int) bool {
	return !b.bad && (len(b.rows) == 0 || b.most < streams)
}

// Reject notes that a record failed its schema: its key, and nothing else of it, is
// kept until a run delivers it. stream is as of Add.
func (b *Batch) Reject(stream int, key KeyHash) {
	b.rejections = append(b.rejections, rejection{before: len(b.rows), stream: int32(stream), key: key})
}

// Len returns the number of records, with those that were rejected. A record that had another key is one.
func (b *Batch) Len() int { return len(b.rows) - b.moved + len(b.rejections) }

// Bytes returns the size of the records.
func (b *Batch) Bytes() int { return len(b.arena) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.arena, b.rows, b.rejections, b.bad, b.most, b.moved = b.arena[:0], b.rows[:0], b.rejections[:0], false, 0, 0
}

// text views n bytes of the arena as a string, without a copy. The string lives
// no longer than the batch; the database driver copies it when it binds it.
func (b *Batch) text(at int, n int32) string {
	if n == 0 {
		return ""
	}
	return unsafe.String(&b.arena[at], int(n))
}

// data is the record's JSON, and when its time; both are views, never nil.
func (b *Batch) data(r *batchRow) []byte { return b.arena[r.at+int(r.key):][:r.data] }
func (b *Batch) when(r *batchRow) []byte { return b.arena[r.at+int(r.key)+int(r.data):][:r.when] }

// KeyHash names a record's key in a few bytes of fixed length, however long the
// key is: the first ones of its SHA-256.
type KeyHash [16]byte

// HashKey returns the hash of a key's canonical text.
func HashKey(key []byte) KeyHash {
	sum := sha256.Sum256(key)
	return KeyHash(sum[:])
}

// rejection is one rejected record of a batch.
type rejection struct {
	before int // it came before the batch's record of this index
	stream int32
	key    KeyHash
}
