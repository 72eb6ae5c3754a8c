package record

import (
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// StreamCounts counts what a run's records did to one stream. A record that was
// deleted and came back is Changed; a tombstone of an unseen key is Deleted; a
// repeated tombstone is Unchanged. A record that its owner has deleted is Suppressed: it was
// dropped.
type StreamCounts struct {
	New, Changed, Unchanged, Deleted, Suppressed int64
}

// Add adds what o counts, times times.
func (c *StreamCounts) Add(o StreamCounts, times int64) {
	c.New += times * o.New
	c.Changed += times * o.Changed
	c.Unchanged += times * o.Unchanged
	c.Deleted += times * o.Deleted
	c.Suppressed += times * o.Suppressed
}

// Total is how many records were counted.
func (c *StreamCounts) Total() int64 {
	return c.New + c.Changed + c.Unchanged + c.Deleted + c.Suppressed
}

// Target is the run that records are written for. Its fields belong to the writer
// goroutine; Counts is safe for concurrent use.
type Target struct {
	RunPK        int64
	ConnectionID string
	Streams      []Stream // a batch names a stream by its index here
	// Unlisted counts, by stream, the rejected records that are not kept by their keys;
	// nil: none.
	Unlisted []int64
	// HandOn hands tombstones on where the records are elsewhere, and the store has no more
	// than their keys; nil: they are here.
	HandOn func(t *db.Tx, stream int64, keys []string) error

	opened map[Enumeration]*opened // by this run, and not swept
	active map[int64]*opened       // by stream: what its records are met in
	lists  map[int64]bool          // by stream: whether it was enumerated before this run

	start   map[int64]int64   // by stream: the records that it had before the run wrote any; nil: not read
	held    map[int64]int64   // by stream: those of them that were there when the run first enumerated it
	removed map[int64]removal // by stream: what the run's durable sweeps have buried

	mu     sync.Mutex
	counts []StreamCounts // durable, by stream
}

// Enumeration names what a connector enumerates: a stream, or the part of it that the
// connector calls Part; "" is the whole stream.
type Enumeration struct{ Stream, Part string }

// opened is an enumeration that the run has opened. It belongs to the writer goroutine.
type opened struct {
	id       int64
	stream   int64
	part     bool      // of the stream, not the whole
	begunSeq int64     // the change sequence when it was begun
	handed   bool      // the records are handed on
	refused  string    // why it sweeps nothing, whatever it meets
	held     int64     // the records that the list had when it was begun
	at       time.Time // when the run opened it
	answer   answer    // of the runs before

	met  *metKeys // what it has met; nil: not read
	gone *gone    // what it has not; nil: not looked up
}

// metKeys is what an enumeration has met.
type metKeys struct {
	rows   int64    // of met, when it was read
	hashes []uint64 // sorted, each once
}

// gone are the records that an enumeration has not met.
type gone struct {
	count  int64
	first  []string // the keys of the first page
	digest string   // of all keys, in their order

	met     *metKeys
	seq     int64 // of the stream's last change, when they were looked up
	leaving leaving
}

// Stream is one stream that a run writes to.
type Stream struct {
	ID    int64
	Name  string
	ByKey bool // whether the run asks which records were delivered, see run.Writer.Delivered

	Unlisted bool // see run.Writer.RejectionsUnlisted
}

// AddStream has the run write to one stream more.
func (to *Target) AddStream(s Stream) {
	to.mu.Lock()
	defer to.mu.Unlock()
	to.Streams, to.counts = append(to.Streams, s), append(to.counts, StreamCounts{})
}

// Counts returns what the durable records did, by stream.
func (to *Target) Counts() []StreamCounts {
	to.mu.Lock()
	defer to.mu.Unlock()
	return slices.Clone(to.counts)
}

// noStream is the id of no stream.
const noStream = 0

// StreamID returns the id of the stream of that name, noStream without one.
func (to *Target) StreamID(name string) int64 {
	for _, s := range to.Streams {
		if s.Name == name {
			return s.ID
		}
	}
	return noStream
}
