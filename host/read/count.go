package read

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Times are those of all that a list chooses, as the records write them (RD-19).
type Times struct {
	Total            int64
	Earliest, Latest string // "": none has a time, or it is not seen
}

// count counts what a list chooses, when that is quick.
func (r *Reader) count(ctx context.Context, walks []*walk, page *Page) {
	total, err := bounded(ctx, toCount, func(ctx context.Context) (total int64, err error) {
		for _, w := range walks {
			n, err := r.countOf(ctx, w.source, w.where)
			if err != nil {
				return 0, err
			}
			total += n
		}
		return total, nil
	})
	if err == nil {
		page.Count = &total
		return
	}
	page.Warnings = append(page.Warnings, Warning{Code: WarnDowngraded, Message: "counting takes too long"})
	total = 0
	for _, w := range walks {
		if !w.source.whole() {
			return
		}
		total += w.source.Live
	}
	page.Estimate = &total // as if the filters chose everything
}

// times finds the times of what a list chooses, when that is quick.
func (r *Reader) times(ctx context.Context, walks []*walk, page *Page) {
	found, err := bounded(ctx, toCount, func(ctx context.Context) (*Times, error) {
		all := new(Times)
		var first, last []byte
		for _, w := range walks {
			name := w.source.plan.ConsentTimeField
			is := w.source.plan.TypeOf(name)
			seen := is.IsTime() && w.source.grants(name)
			note := func(row *storage.ReadRow) {
				value := field.Get(row.Data, name)
				at := field.Order(is, value)
				if field.IsMissing(at) {
					return
				}
				text, _ := field.String(value)
				if first == nil || compare(at, first) < 0 {
					first, all.Earliest = at, text
				}
				if last == nil || compare(at, last) > 0 {
					last, all.Latest = at, text
				}
			}
			if !seen {
				note = nil
			}
			total, err := r.timesOf(ctx, w, note)
			if err != nil {
				return nil, err
			}
			all.Total += total
		}
		return all, nil
	})
	if err != nil {
		page.Warnings = append(page.Warnings, Warning{Code: WarnDowngraded, Message: "finding the times of all records takes too long"})
		return
	}
	page.Times = found
}

// timesOf counts what a walk chooses, and calls fn, where it is not nil, with each record of it, or with the
// first and the last one of a scope's time: what lies outside of it decides nothing (Invariant 9).
func (r *Reader) timesOf(ctx context.Context, w *walk, fn func(*storage.ReadRow)) (total int64, err error) {
	if !w.source.byTime(w.where) {
		err = r.all(ctx, w.source, w.where, func(row *storage.ReadRow) {
			if total++; fn != nil {
				fn(row)
			}
		})
		return total, err
	}
	from, to, fits := w.source.scope.Time.span()
	if !fits {
		return 0, nil
	}
	for _, descending := range []bool{false, true} {
		if fn != nil && err == nil {
			err = r.outermost(ctx, w.source, from, to, descending, fn)
		}
	}
	if err != nil {
		return 0, err
	}
	return r.Store.CountWithin(ctx, w.source.ID, from, to)
}

// outermost calls fn with the first record of a time, or with the last one when descending. Where that one
// has changed since it was indexed, it is looked for anew once that is.
func (r *Reader) outermost(ctx context.Context, s *source, from, to []byte, descending bool, fn func(*storage.ReadRow)) error {
	for {
		keys, err := r.Store.ReadKeysWithin(ctx, s.ID, from, to, descending, 1)
		if err != nil || len(keys) == 0 {
			return err
		}
		rows, _, _, err := r.records(ctx, s, keys)
		if err != nil || len(rows) == 0 { // its connection is being removed
			return err
		}
		if rows[0].Data != nil && s.shows(keys[0], rows[0].Data) {
			fn(&rows[0])
			return nil
		}
	}
}

// byTime reports whether what is chosen of a source is all within the scope's time, which is indexed.
func (s *source) byTime(where []condition) bool {
	return s.bounded() && s.timed() && s.scope.Keys == nil && len(where) == 0
}

// beside are the times of a scope whose records a list finds by them, since it is in another order; nil: it has none. Were
// they looked for in that order, those that the scope does not show would be passed over one by one (Invariant 9).
func (s *source) beside() (within *storage.ReadTimes, fits bool) {
	if !s.byTime(nil) || s.scope.Time.Field == s.plan.CursorField {
		return nil, true
	}
	from, to, fits := s.scope.Time.span()
	return &storage.ReadTimes{From: from, To: to}, fits
}

// countOf counts what some conditions choose of one source. It counts the records of a time
// by the index of times: how long that takes tells nothing of the others (Invariant 9).
func (r *Reader) countOf(ctx context.Context, s *source, where []condition) (total int64, err error) {
	if s.whole() && len(where) == 0 {
		return s.Live, nil
	}
	if s.byTime(where) {
		from, to, fits := s.scope.Time.span()
		if !fits {
			return 0, nil
		}
		return r.Store.CountWithin(ctx, s.ID, from, to)
	}
	err = r.all(ctx, s, where, func(*storage.ReadRow) { total++ })
	return total, err
}

// all calls fn with each record of a source that some conditions choose.
func (r *Reader) all(ctx context.Context, s *source, where []condition, fn func(*storage.ReadRow)) error {
	from, to := s.edges(where)
	w := &walk{store: r.Store, source: s, where: where, descending: true, from: from, to: to, bytes: chunkBytes}
	for {
		row, err := w.next(ctx, mostChunk)
		if err != nil || row == nil {
			return err
		}
		fn(row)
	}
}
