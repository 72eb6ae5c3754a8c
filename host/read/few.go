package read

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/read/field"
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
