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
// large as the folder that was walked, whose bound it has. The zero Set is empty.
type Set struct {
	h       *sdk.Host
	stream  string
	prefix  string
	items   map[string]*item
	changed bool
}

// item is one thing, as it was when its record was emitted.
type item struct {
	size, mtimeMS int64
	sum           int64 // 0: not known
	seen          bool  // in this run
}

// Open returns the set of a stream, whose cursor it has for itself. Its records have the
// prefix and an item's key for keys.
func Open(h *sdk.Host, stream, prefix string) *Set {
	s := &Set{h: h, stream: stream, prefix: prefix}
	v := h.Cursor(stream)
	s.Read(v.Get("items"))
	for _, name := range [...]string{"files", "entries", "rows"} { // what earlier versions wrote
		s.Read(v.Get(name))
	}
	return s
}

// Read adds what Append wrote.
func (s *Set) Read(v jsonvalue.Value) {
	if v.Kind() != jsonvalue.Object {
		return
	}
	for it := v.Children(); it.Next(); {
		v := it.Value()
		one := &item{sum: v.Int()}
		if v.Kind() == jsonvalue.Array {
			one = &item{size: v.At(0).Int(), mtimeMS: v.At(1).Int(), sum: v.At(2).Int()}
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
		if one.size == 0 && one.mtimeMS == 0 {
			b = jsonappend.Int(b, one.sum)
			continue
		}
		b = jsonappend.Int(append(b, '['), one.size)
		b = jsonappend.Int(append(b, ','), one.mtimeMS)
		b = append(jsonappend.Int(append(b, ','), one.sum), ']')
	}
	return append(b, '}')
}

// Same notes that a file is there, and reports whether it has the size and the time with which
// it was taken.
func (s *Set) Same(key string, e Entry) bool {
	one := s.items[key]
	if one == nil {
		return false
	}
	one.seen = true
	return one.size == e.Size && one.mtimeMS == e.MTimeMS
}

// Take takes what a file holds now, and reports whether its record is to be emitted.
func (s *Set) Take(key string, e Entry, sum int64) bool {
	old := s.items[key]
	s.put(key, &item{e.Size, e.MTimeMS, sum, true})
	s.changed = true
	return old == nil || old.sum != sum
}

// News takes a thing without a file of its own, once in a run, and reports whether its record
// is to be emitted.
func (s *Set) News(key string, sum int64) bool {
	old := s.items[key]
	if old != nil && old.seen {
		return false
	}
	if old != nil && old.sum == sum {
		old.seen = true
		return false
	}
	return s.Take(key, Entry{}, sum)
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

// Sweep forgets what was not seen, and calls gone with its key.
func (s *Set) Sweep(gone func(key string) error) error {
	for _, key := range cursor.Keys(s.items) {
		if s.items[key].seen {
			continue
		}
		delete(s.items, key)
		s.changed = true
		if err := gone(key); err != nil {
			return err
		}
	}
	return nil
}

// Close deletes the records of what was not seen, and sends the cursor when it is another one.
// With whole false nothing is known to be gone.
func (s *Set) Close(whole bool) error {
	if !whole {
		s.Keep("")
	}
	err := s.Sweep(func(key string) error { return s.h.Delete(s.stream, s.prefix+key) })
	if err != nil || !s.changed {
		return err
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
