package read

import (
	"context"
	"strconv"

	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// late is what of a search's streams is not indexed yet.
type late struct {
	all     bool    // of everything; the owner's
	streams []int64 // those of which anything is
	records int64   // in all of them
	parts   bool    // the scope shows a part of one of them
}

func (l *late) any() bool { return l.all || len(l.streams) > 0 }

// note notes a source.
func (l *late) note(s *source) {
	l.streams, l.records = append(l.streams, s.ID), l.records+s.Live
	l.parts = l.parts || !s.whole()
}

// indexed has everything indexed for a reader that waits as long as it takes: the search itself may
// take its time alone.
func (r *Reader) indexed(ctx context.Context) error {
	if r.Wait > 0 {
		return nil
	}
	_, err := r.Index.All(ctx, 0)
	return err
}

// behind reports whether a change of a source is not in the index.
func (s *source) behind(at *storage.ReadPosition) bool {
	return s.LastSeq > 0 && (s.LastSeq > at.Indexed || !s.Fit())
}

// punctual leaves out what is not indexed as far as it is now. An owner's sources stay: they are searched
// as far as they are. Of a client's, which record is missing would tell of a change that it does not
// see, so that all of the source is left out (Invariant 9); where nothing stays, the search is refused.
func (s *searching) punctual(sources []source, at *storage.ReadPosition) ([]source, error) {
	all := sources
	if !s.scope.Owner {
		all = make([]source, 0, len(sources))
	}
	for i := range sources {
		one := &sources[i]
		late := one.behind(at) && len(one.words()) > 0
		if late {
			s.late.note(one)
		}
		if !s.scope.Owner && !late {
			all = append(all, *one)
		}
	}
	if len(all) == 0 && s.late.any() {
		return nil, index.Behind()
	}
	return all, nil
}

// admit says what was not searched, now or for the first page of its order. The number is of records that
// the reader sees: it is left out where the scope shows a part of a stream, because that of the whole
// would tell of the others (Invariant 9).
func (s *searching) admit(ctx context.Context, before bool) error {
	f, now := s.found, s.late.any()
	if f.Late = now || before; !f.Late {
		return nil
	}
	switch {
	case s.scope.Owner:
		at, err := s.Store.Position(ctx)
		if err != nil {
			return err
		}
		f.Behind = at.Missing()
		if f.Unknown, err = s.Store.ReadUnknown(ctx, s.late.streams); err != nil {
			return err
		}
	case now && !s.late.parts:
		f.Unknown = s.late.records
	}
	f.Warnings = append(f.Warnings, Warning{Code: WarnPartial, Message: f.missing()})
	return nil
}

// missing says what was not searched.
func (f *Found) missing() string {
	switch f.Unknown {
	case 0:
		return "not all of what was collected is searched yet: it is still being indexed"
	case 1:
		return "1 record is not searched yet: what was collected is still being indexed"
	}
	return strconv.FormatInt(f.Unknown, 10) + " records are not searched yet: what was collected is still being indexed"
}
