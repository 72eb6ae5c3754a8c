package model

import (
	"maps"
	"slices"
	"strings"
)

// record is the latest state of a record.
type record struct {
	n       int
	deleted bool
	changed int // the moment of its last change
}

// list is an enumeration of a part of a stream, "" being the whole of it, as the host has it
// from run to run.
type list struct {
	begunBy string
	since   int // the moment at which it began
	open    bool
	spoiled bool // a record was left out whose key nobody knows
	met     map[string]bool
	held    int // how many records it had when it began
	answer  answer
}

// answer is what so many runs have found gone that was too much to go.
type answer struct {
	gone       string
	count, day int
}

// stream is what the host has of a stream.
type stream struct {
	records map[string]*record
	lists   map[string]*list
	holds   map[string]map[string]bool // by part: the keys that it has
}

// gap names a detail that is still to be fetched.
type gap struct{ stream, key string }

// books are the host's as abi/ABI.md says they are.
type books struct {
	streams map[string]*stream
	cursors map[string]int
	gaps    map[gap]bool
	moment  int // counts the changes
	day     int
	run     *visit
}

func newBooks() *books {
	b := &books{streams: map[string]*stream{}, cursors: map[string]int{}, gaps: map[gap]bool{}}
	for _, name := range []string{notes, riders} {
		b.streams[name] = &stream{records: map[string]*record{}, lists: map[string]*list{}, holds: map[string]map[string]bool{}}
	}
	return b
}

// live lists the keys of a stream's records, without the tombstones.
func (s *stream) live() (all []string) {
	for _, key := range slices.Sorted(maps.Keys(s.records)) {
		if !s.records[key].deleted {
			all = append(all, key)
		}
	}
	return all
}

// has lists the keys of the records that a list has.
func (s *stream) has(part string) []string {
	return slices.DeleteFunc(s.live(), func(key string) bool { return part != "" && !s.holds[part][key] })
}

func (s *stream) hold(part, key string) {
	if part == "" {
		return
	}
	if s.holds[part] == nil {
		s.holds[part] = map[string]bool{}
	}
	s.holds[part][key] = true
}

// put puts a record's state in place of the one before. One that is the same changes nothing.
func (b *books) put(name, key string, n int, deleted bool) {
	s := b.streams[name]
	before := s.records[key]
	if before != nil && before.deleted == deleted && (deleted || before.n == n) {
		return
	}
	b.moment++
	s.records[key] = &record{n: n, deleted: deleted, changed: b.moment}
}

// fills reports whether a record under key is one of the detail.
func fills(detail, key string) bool { return key == detail || strings.HasPrefix(key, detail+":") }

// covers reports whether the cursor of a stream covers the records of another one.
func covers(cursor, name string) bool { return cursor == name || cursor == notes && name == riders }
