package files

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// setVersion is the version of the cursor of a set.
const setVersion = 1

// Set is what a stream has of the things that a folder holds now, one record each. It is as
// large as the folder that was walked, whose bound it has. The zero Set is empty, and has no
// stream.
//
// A thing that was not seen stays in the set until the host has its record no more: the set lists
// the stream in an enumeration, and the host weighs how many are gone, and may ask its owner first.
// A record that the set does not know stays.
type Set struct {
	h       *sdk.Host
	stream  string
	prefix  string
	rows    bool // of coverage
	reader  int64
	items   map[string]*item
	changed bool
	list    *sdk.Enumeration // nil: not opened in this run
	err     error            // of opening it
}

// unlike is the stamp of no file and of no thing without one.
var unlike = Stamp{Size: -1, MTimeMS: -1}

// item is one thing, as it was when its record was emitted.
type item struct {
	Stamp

	sum    int64 // of what its record was made of; 0: not known
	again  bool  // its record is emitted again
	seen   bool  // in this run
	reader int64 // the version that took it, see Set.Reader
	gone   bool  // a run has not seen it since its record was emitted: the host may have deleted that
}

// New returns an empty set of a stream whose cursor has more than it, see Read and Append. The
// stream's records have the prefix and an item's key for keys. Nothing else enumerates the
// stream.
func New(h *sdk.Host, stream, prefix string) *Set {
	return &Set{h: h, stream: stream, prefix: prefix}
}

// Open returns the set of a stream, whose cursor it has for itself, and which it enumerates for
// itself. Its records have the prefix and an item's key for keys. In a full refresh each record
// is emitted again.
func Open(h *sdk.Host, stream, prefix string) *Set {
	s := New(h, stream, prefix)
	before := h.Previous(stream)
	for _, v := range [...]jsonvalue.Value{h.Cursor(stream), before} {
		for _, name := range [...]string{"items", "files", "entries", "rows"} { // earlier versions wrote the last three
			s.Read(v.Get(name))
		}
	}
	if before.Exists() {
		s.Renew()
	}
	return s
}

// OpenRows is Open for rows of coverage. They are words of the connector's own, which no source can
// lose: a row that was not seen is true no more, and deleted by its key.
func OpenRows(h *sdk.Host, stream string) *Set {
	s := Open(h, stream, "")
	s.rows = true
	return s
}

// Renew has each record be emitted again, as in a full refresh. Things that the folder has no more
// are still known.
func (s *Set) Renew() {
	for _, one := range s.items {
		one.again = true
	}
}

// Reader sets the version of what reads the files, 0 at first. It rises when a file gives another record than
// before: one that an earlier version took is never the Same, so that it is looked at once more.
func (s *Set) Reader(version int64) { s.reader = version }

// Read adds what Append wrote.
func (s *Set) Read(v jsonvalue.Value) {
	if v.Kind() != jsonvalue.Object {
		return
	}
	for it := v.Children(); it.Next(); {
		v := it.Value()
		one := &item{sum: v.Int()}
		switch v.Kind() {
		case jsonvalue.False:
			one = &item{Stamp: unlike, gone: true}
		case jsonvalue.Array:
			one = &item{Stamp: Stamp{v.At(0).Int(), v.At(1).Int(), v.At(4).Int()}, sum: v.At(2).Int(), reader: v.At(3).Int()}
		case jsonvalue.Null, jsonvalue.True, jsonvalue.Number, jsonvalue.String, jsonvalue.Object:
		}
		if one.sum < 0 { // a full refresh ended before it came to the thing
			one.sum, one.again = -one.sum, true
		}
		s.put(it.Name().Str(), one)
	}
}

func (s *Set) put(key string, one *item) {
	if s.items == nil {
		s.items = make(map[string]*item)
	}
	s.items[key] = one
}

// Append appends the set, for a cursor that has more than it.
func (s *Set) Append(b []byte) []byte {
	b = append(b, '{')
	for _, key := range cursor.Keys(s.items) {
		one := s.items[key]
		b = jsonappend.Name(b, key)
		if one.gone {
			b = jsonappend.Bool(b, false)
			continue
		}
		sum := one.sum
		if one.again {
			sum = -sum
		}
		if one.Stamp == (Stamp{}) && one.reader == 0 {
			b = jsonappend.Int(b, sum)
			continue
		}
		b = jsonappend.Int(append(b, '['), one.Size)
		b = jsonappend.Int(append(b, ','), one.MTimeMS)
		b = jsonappend.Int(append(b, ','), sum)
		if one.reader != 0 || one.CTimeMS != 0 {
			b = jsonappend.Int(append(b, ','), one.reader)
		}
		if one.CTimeMS != 0 {
			b = jsonappend.Int(append(b, ','), one.CTimeMS)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// Same notes that a file is there, and reports whether it has the stamp with which it was taken.
func (s *Set) Same(key string, e Entry) bool {
	one := s.items[key]
	if one == nil {
		return false
	}
	one.seen = true
	if one.again || !one.Same(e.Stamp) || one.reader < s.reader {
		return false
	}
	s.changed = Learn(&one.Stamp, e.Stamp) || s.changed
	return true
}

// Take takes what a file holds now, and reports whether its record is to be emitted.
func (s *Set) Take(key string, e Entry, sum int64) bool {
	old := s.items[key]
	if old == nil {
		s.begin() // before there is one more: the host weighs what is gone against what there was
	}
	s.put(key, &item{Stamp: e.Stamp, sum: sum, reader: s.reader, seen: true})
	s.changed = true
	return old == nil || old.sum != sum || old.again
}

// News takes a thing without a file of its own, once in a run, and reports whether its record
// is to be emitted.
func (s *Set) News(key string, sum int64) bool {
	old := s.items[key]
	if old != nil && old.seen {
		return false
	}
	if old != nil && old.sum == sum && !old.again {
		old.seen = true
		return false
	}
	return s.Take(key, Entry{}, sum)
}

// Moved forgets a thing that an earlier Reader took under the key from and that has the key to from now on, whose record News
// then has emitted. It reports whether from is no key of this Reader's, so that the record is to say that it moved from there, see
// sdk.Record: also where the set knows nothing of it, for what an earlier run knew may be lost. Nothing is weighed, for nothing is
// gone. Call it before News.
func (s *Set) Moved(from, to string) bool {
	old := s.items[from]
	if from == to || old != nil && old.reader >= s.reader {
		return false
	}
	if old != nil {
		delete(s.items, from)
		s.put(to, &item{Stamp: unlike})
		s.changed = true
	}
	return true
}

// Len counts the things.
func (s *Set) Len() int { return len(s.items) }

// Keep keeps everything whose key begins so: it could not be looked at.
func (s *Set) Keep(prefix string) {
	s.KeepIf(func(key string) bool { return strings.HasPrefix(key, prefix) })
}

// KeepIf keeps everything whose key is hidden: it may be there.
func (s *Set) KeepIf(hidden func(key string) bool) {
	for key, one := range s.items {
		one.seen = one.seen || hidden(key)
	}
}

// Changed reports whether the set is another one than it was read.
func (s *Set) Changed() bool { return s.changed }

// Forget forgets what was not seen. The records stay.
func (s *Set) Forget() {
	for key, one := range s.items {
		if !one.seen {
			delete(s.items, key)
			s.changed = true
		}
	}
}

// Close has the records of what was not seen deleted, and sends the cursor when it is another one.
// With whole false nothing is known to be gone.
func (s *Set) Close(whole bool) error {
	if !whole {
		s.Keep("")
	} else if err := s.Bury(); err != nil {
		return err
	}
	if s.err != nil || !s.changed {
		return s.err
	}
	b := jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), setVersion)
	return s.h.State(s.stream, append(s.Append(jsonappend.Name(b, "items")), '}'))
}

// sumSeed begins each Sum, and partEnd, which is no byte's value, closes each text.
const (
	sumSeed = fingerprint.Start + 1
	partEnd = 0x1ff
)

// Sum is a fingerprint of texts: 48 bits, so that JSON keeps it exactly, and never 0.
func Sum(texts ...string) int64 {
	sum := sumSeed
	for _, text := range texts {
		sum = fingerprint.Step(fingerprint.Text(sum, text), partEnd)
	}
	return int64(fingerprint.Mix(sum)&fingerprint.Mask48) | 1
}
