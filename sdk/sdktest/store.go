package sdktest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Store is the host's store after several runs: the live records, by stream and key
// text. Make it with Store{}.
type Store map[string]map[string]Record

// Apply applies the records of a run in their order: a record replaces the one with its
// key and the one with the key that it had, a tombstone removes it, and so does an enumeration that is whole and has not met it.
func (s Store) Apply(r *Result) {
	for _, rec := range r.All {
		if rec.Delete {
			delete(s[rec.Stream], rec.Key)
			continue
		}
		if s[rec.Stream] == nil {
			s[rec.Stream] = make(map[string]Record)
		}
		delete(s[rec.Stream], rec.MovedFrom)
		for _, part := range s[rec.Stream][rec.Key].parts {
			if !slices.Contains(rec.parts, part) {
				rec.parts = append(slices.Clone(rec.parts), part)
			}
		}
		s[rec.Stream][rec.Key] = rec
	}
	for stream, rows := range s {
		for key, rec := range rows {
			rec.parts = r.partsOf(stream, rec)
			rows[key] = rec
		}
	}
	s.sweep(r)
}

// Clone returns a copy that later runs leave as it is.
func (s Store) Clone() Store {
	c := make(Store)
	for stream, rows := range s {
		c[stream] = maps.Clone(rows)
	}
	return c
}

// Len counts the records.
func (s Store) Len() int {
	n := 0
	for _, rows := range s {
		n += len(rows)
	}
	return n
}

// Holds checks that there are records with exactly these keys in a stream.
func (s Store) Holds(t testing.TB, stream string, keys ...string) {
	t.Helper()
	want := make(map[string]Record)
	for _, key := range keys {
		want[key] = s[stream][key]
	}
	if d := (Store{stream: s[stream]}).Differs(Store{stream: want}); d != "" {
		t.Error(d)
	}
}

// differences is how many records Differs names.
const differences = 5

// Differs describes the records that differ from want, key by key and byte by byte; ""
// when the two stores are equal.
func (s Store) Differs(want Store) string {
	var list []string
	streams := maps.Clone(s)
	maps.Copy(streams, want)
	for _, stream := range slices.Sorted(maps.Keys(streams)) {
		keys := maps.Clone(want[stream])
		if keys == nil {
			keys = make(map[string]Record)
		}
		maps.Copy(keys, s[stream])
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			got, stored := s[stream][key]
			wanted, there := want[stream][key]
			switch name := stream + " " + key; {
			case !stored:
				list = append(list, name+" is missing")
			case !there:
				list = append(list, name+" is there and should not be")
			case !bytes.Equal(got.Data, wanted.Data):
				list = append(list, fmt.Sprintf("%s is %s, want %s", name, got.Data, wanted.Data))
			}
		}
	}
	if more := len(list) - differences; more > 0 {
		list = append(list[:differences], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}
