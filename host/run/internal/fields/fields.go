package fields

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Fewest is how many records of a stream a run looks at before it says anything of its fields:
// a few new records may lack a field that all the older ones have.
const Fewest = 20

const (
	// Of more than first records, one in every is looked at, so that a run of millions is as fast
	// as without.
	first, every = 500, 256
	// maxNames bounds the fields of a stream that are followed, and maxNameBytes their names.
	maxNames     = 256
	maxNameBytes = 100
	percent      = 100
)

// Counts are those of a run, by place of the stream in its scope.
type Counts []counts

type counts struct {
	came, looked int64
	filled       map[string]*int64 // records with a value, by field
}

// New returns the counts of a run over so many streams.
func New(streams int) Counts { return make(Counts, streams) }

// Due counts a record, and reports whether its fields are to be looked at.
func (c Counts) Due(stream int) bool {
	s := &c[stream]
	s.came++
	if s.came > first && s.came%every != 0 {
		return false
	}
	s.looked++
	return true
}

// Filled counts a field that is not null in a record of which Due was true.
func (c Counts) Filled(stream int, name []byte) {
	s := &c[stream]
	n := s.filled[string(name)]
	if n == nil {
		if len(s.filled) >= maxNames || len(name) > maxNameBytes {
			return
		}
		if s.filled == nil {
			s.filled = map[string]*int64{}
		}
		n = new(int64)
		s.filled[string(name)] = n
	}
	*n++
}

// Compare compares the fields of a stream with those that carried data before. carried are
// those for the next run, in order: those that are null in less than one record of a hundred,
// and those that have disappeared, until they carry data again or are declared no more. gone
// are the latter, which are null in more than 99 of a hundred; where too few records came to say
// so, those of before stay.
func (c Counts) Compare(stream int, before storage.Fields, declared func(field string) bool) storage.Fields {
	s := &c[stream]
	if s.looked < Fewest {
		before.Gone = slices.DeleteFunc(slices.Clone(before.Gone), func(field string) bool { return !declared(field) })
		return before
	}
	var now storage.Fields
	for name, n := range s.filled {
		if (s.looked-*n)*percent < s.looked {
			now.Carried = append(now.Carried, name)
		}
	}
	for _, name := range before.Carried {
		var n int64
		if of := s.filled[name]; of != nil {
			n = *of
		}
		if n*percent < s.looked && declared(name) {
			now.Gone = append(now.Gone, name)
		}
	}
	now.Carried = append(now.Carried, now.Gone...)
	slices.Sort(now.Carried)
	slices.Sort(now.Gone)
	return now
}
