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

// count counts what the filters choose, when that is quick.
func (r *Reader) count(ctx context.Context, sources []source, l *List, page *Page) {
	total, err := bounded(ctx, toCount, func(ctx context.Context) (total int64, err error) {
		err = l.filtered(sources, func(s *source, where []condition) error {
			n, err := r.countOf(ctx, s, where)
			total += n
			return err
		})
		return total, err
	})
	if err == nil {
		page.Count = &total
		return
	}
	page.Warnings = append(page.Warnings, Warning{Code: WarnDowngraded, Message: "counting takes too long"})
	total = 0
	for i := range sources {
		if !sources[i].whole() {
			return
		}
		total += sources[i].Live
	}
	page.Estimate = &total // as if the filters chose everything
}

// times finds the times of what the filters choose, when that is quick.
func (r *Reader) times(ctx context.Context, sources []source, l *List, page *Page) {
	found, err := bounded(ctx, toCount, func(ctx context.Context) (*Times, error) {
		w := new(Times)
		var first, last []byte
		err := l.filtered(sources, func(s *source, where []condition) error {
			name := s.plan.ConsentTimeField
			is := s.plan.TypeOf(name)
			seen := is.IsTime() && s.grants(name)
			return r.all(ctx, s, where, func(row *storage.ReadRow) {
				w.Total++
				value := field.Get(row.Data, name)
				at := field.Order(is, value)
				if !seen || field.IsMissing(at) {
					return
				}
				text, _ := field.String(value)
				if first == nil || compare(at, first) < 0 {
					first, w.Earliest = at, text
				}
				if last == nil || compare(at, last) > 0 {
					last, w.Latest = at, text
				}
			})
		})
		return w, err
	})
	if err != nil {
		page.Warnings = append(page.Warnings, Warning{Code: WarnDowngraded, Message: "finding the times of all records takes too long"})
		return
	}
	page.Times = found
}

// filtered calls fn with each source that has the fields of all filters, and its conditions.
func (l *List) filtered(sources []source, fn func(*source, []condition) error) error {
	for i := range sources {
		where, has, err := conditions(sources[i].plan, l.Filters)
		if err != nil || !has {
			continue
		}
		if err := fn(&sources[i], where); err != nil {
			return err
		}
	}
	return nil
}

// countOf counts what some conditions choose of one source. It counts the records of a time
// by the index of times: how long that takes tells nothing of the others (Invariant 9).
func (r *Reader) countOf(ctx context.Context, s *source, where []condition) (total int64, err error) {
	if s.whole() && len(where) == 0 {
		return s.Live, nil
	}
	if s.bounded() && s.timed() && s.scope.Keys == nil && len(where) == 0 {
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
