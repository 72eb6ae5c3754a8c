package read

import (
	"context"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// mostFew is how many records of a stream within a scope's time are read and matched for a
// search: the newest ones by their own time, where there are more.
const mostFew = 10_000

// chosen is records of a source by their keys.
type chosen struct {
	of   *source
	keys []string
}

// choose returns the records of a source that are searched under a scope of keys or of a time;
// nil: all of the source. The index has the words of the whole stream: what it takes to drop the
// others tells how many of them have a word, so that it is not asked (Invariant 9). Where the
// records cannot be found by the scope's time, because another one is declared by now, none is
// searched.
func (s *searching) choose(ctx context.Context, of *source) (*chosen, error) {
	switch {
	case of.scope == nil:
		return nil, nil //nolint:nilnil // all
	case of.scope.Keys != nil:
		return &chosen{of, of.scope.Keys}, nil
	case !of.bounded():
		return nil, nil //nolint:nilnil // as above
	case !of.timed():
		s.partly(of, "its connector tells the time of records by another field now; the app asks the owner anew")
		return &chosen{of: of}, nil
	}
	from, to, fits := of.scope.Time.span()
	if !fits {
		return &chosen{of: of}, nil
	}
	keys, err := s.Store.ReadKeysWithin(ctx, of.ID, from, to, true, mostFew+1)
	if err != nil {
		return nil, err
	}
	if len(keys) > mostFew {
		keys = keys[:mostFew]
		s.partly(of, "under a grant of a time, the ten thousand newest records are searched")
	}
	return &chosen{of, keys}, nil
}

// partly warns that a part of what the scope shows of a source is not searched.
func (s *searching) partly(of *source, why string) {
	s.partial = append(s.partial, Warning{Code: WarnPartial, Message: why, Connection: of.ConnectionID})
}

// span is the bound as the index has times, the first included and the second not; false:
// nothing is within it.
func (t *TimeBound) span() (from, to []byte, fits bool) {
	from, to, fits = []byte{}, field.Missing(), true
	if t.Since != nil {
		from, fits = bound(*t.Since)
	}
	if t.Until != nil && fits {
		to, fits = bound(*t.Until)
	}
	return from, to, fits
}

// match adds the hits among the few.
func (s *searching) match(ctx context.Context) error {
	for i := range s.few {
		of := s.few[i].of
		err := s.byKey(ctx, of, s.few[i].keys, s.records, func(row *storage.ReadRow, past []storage.ReadPast) error {
			if row.Data != nil && (s.before == 0 || row.Seq < s.before) && s.shows(of, row.Key, row.Data) {
				return s.add(ctx, of, row, past)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// byKey calls fn once with each record of a source that has one of the keys. It reads as many
// at once as may be held.
func (r *Reader) byKey(ctx context.Context, of *source, keys []string, read readByKey, fn func(*storage.ReadRow, []storage.ReadPast) error) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	for len(keys) > 0 {
		part := keys[:min(len(keys), mostDocs)]
		keys = keys[len(part):]
		rows, past, more, err := read(ctx, of, part)
		if err != nil {
			return err
		}
		had := map[string]bool{}
		for i := range rows {
			had[rows[i].Key] = true
			if err := fn(&rows[i], past[rows[i].Key]); err != nil {
				return err
			}
		}
		if more {
			keys = append(slices.DeleteFunc(part, func(key string) bool { return had[key] }), keys...)
		}
	}
	return nil
}

// readByKey reads records by their keys. more: there are others.
type readByKey func(ctx context.Context, of *source, keys []string) (rows []storage.ReadRow, past map[string][]storage.ReadPast, more bool, err error)

// raw reads them as they are in the store.
func (r *Reader) raw(ctx context.Context, of *source, keys []string) (rows []storage.ReadRow, _ map[string][]storage.ReadPast, more bool, err error) {
	rows, more, err = r.Store.ReadRecords(ctx, of.ID, keys, chunkBytes)
	return rows, nil, more, err
}

// records reads records that, for a client, the index knows as they are now.
func (r *Reader) records(ctx context.Context, of *source, keys []string) (rows []storage.ReadRow, past map[string][]storage.ReadPast, more bool, err error) {
	if of.scope == nil {
		return r.raw(ctx, of, keys)
	}
	past, err = r.settle(ctx, of, func(ctx context.Context) (all []*storage.ReadRow, err error) {
		rows, more, err = r.Store.ReadRecords(ctx, of.ID, keys, chunkBytes)
		for i := range rows {
			all = append(all, &rows[i])
		}
		return all, err
	})
	return rows, past, more, err
}

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

// admit says what was not searched, now or for the first page of its order. It counts records that the
// reader sees, and none where the scope shows a part of a stream: a count of the whole would tell of the
// others (Invariant 9).
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
