package read

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// projection is the fields that an answer shows of a source's records, as the read state
// knows them. A change of another field does not show (Invariant 9, RD-23.4, RD-23.8).
type projection struct {
	all   bool
	tags  map[uint32]bool
	order uint32 // of the cursor field; 0: none
	time  uint32 // of the field that says a record's time; 0: none
}

// projections returns those of sources, in their order.
func (r *Reader) projections(ctx context.Context, sources []source, fields []string) ([]projection, error) {
	h, err := index.Hasher(ctx, r.Store, r.Random)
	if err != nil {
		return nil, err
	}
	out := make([]projection, len(sources))
	for i := range sources {
		s, p := &sources[i], &out[i]
		p.all, p.tags = s.scope == nil && fields == nil, map[uint32]bool{}
		names := fields
		if s.scope != nil {
			names = append(append([]string{}, s.scope.Fields...), fields...)
		}
		for _, f := range s.plan.Fields {
			if f.Required {
				names = append(slices.Clip(names), f.Name)
			}
		}
		for _, name := range names {
			if s.keeps(name, fields) {
				p.tags[h.Tag(name)] = true
			}
		}
		if s.plan.CursorField != "" {
			p.order = h.Tag(s.plan.CursorField)
		}
		if s.plan.ConsentTimeField != "" {
			p.time = h.Tag(s.plan.ConsentTimeField)
		}
	}
	return out, nil
}

// last returns the last change of a record that the projection shows, and when it was
// emitted.
func (p *projection) last(h *storage.ReadHistory) (seq, us int64) {
	seq, us = h.Born, h.BornUS
	for i := range h.Fields {
		if f := &h.Fields[i]; f.Seq > seq && (p.all || p.tags[f.Tag]) {
			seq, us = f.Seq, f.US
		}
	}
	return seq, us
}

// moved returns the last change of the field that a list is ordered by; 0: none.
func (p *projection) moved(h *storage.ReadHistory) int64 { return changed(h, p.order) }

// changed returns the last change of a field by its tag; 0: none.
func changed(h *storage.ReadHistory, tag uint32) int64 {
	for i := range h.Fields {
		if f := &h.Fields[i]; f.Tag == tag && tag != 0 {
			return f.Seq
		}
	}
	return 0
}

// written is a moment in an answer to a client: not as its connector wrote it, since that
// differs with the change.
func written(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339Nano) }

// settle lets read look at rows until the index knows each of them as it is now, and returns
// the spans of their records as they were at that moment. Of a record that has changed since
// it was indexed nobody could be told, now or later, what of it has.
func (r *Reader) settle(ctx context.Context, s *source, read func(context.Context) ([]*storage.ReadRow, error)) (map[string][]storage.ReadPast, error) {
	for {
		before, err := r.Store.Position(ctx)
		if err != nil {
			return nil, err
		}
		rows, err := read(ctx)
		if err != nil {
			return nil, err
		}
		var keys []string
		fresh := int64(0)
		for _, row := range rows {
			if row.Indexed > 0 && row.Seq != row.Indexed {
				fresh = max(fresh, row.Seq)
			}
			if h := row.History; h == nil || s.bounded() && (h.Since > h.Born || !s.within(row)) {
				keys = append(keys, row.Key)
			}
		}
		if fresh > 0 {
			if err := r.Index.Reach(ctx, r.Wait, fresh); err != nil {
				return nil, err
			}
			continue
		}
		if keys == nil {
			return nil, nil
		}
		past, err := r.Store.ReadPast(ctx, s.ID, slices.Compact(slices.Sorted(slices.Values(keys))))
		if err != nil {
			return nil, err
		}
		after, err := r.Store.Position(ctx)
		if err != nil || after.Same(&before) {
			return past, err
		}
	}
}

// told is what a feed tells of a record.
type told struct {
	at   int64 // the change that is told
	gone bool
	us   int64 // when what is told was emitted
}

// tell says what the feed since a mark tells of a record, as the read state has it; 0:
// nothing.
func (s *source) tell(p *projection, since *mark, row *storage.ReadRow, past []storage.ReadPast) told {
	if h := row.History; h != nil && s.within(row) {
		t := told{}
		t.at, t.us = s.since(p, h, past)
		if since.Horizon == 0 {
			t.at = max(t.at, s.kept(p, h, past)) // no row of the feed may stand at an earlier change
		}
		if since.Listed {
			t.at = max(t.at, p.moved(h)) // the list may have missed it
		}
		if t.at <= since.Horizon {
			return told{}
		}
		return t
	}
	// It is not seen now. A reader who saw it is told when it went (RD-23.5, RD-23.6).
	t := told{gone: true}
	seen := false
	for i := range past {
		if !s.was(&past[i]) {
			continue
		}
		t.at, t.us = past[i].Until, past[i].UntilUS
		seen = seen || past[i].Until > since.Horizon && (since.Listed || past[i].From <= since.Horizon)
	}
	if !seen {
		return told{}
	}
	return t
}

// since returns the change since which a record is shown as it is: the last one of what the
// projection shows, or that with which it came into the scope's time.
func (s *source) since(p *projection, h *storage.ReadHistory, past []storage.ReadPast) (at, us int64) {
	at, us = p.last(h)
	if !s.bounded() || !s.timed() {
		return at, us
	}
	in, i := h.Since, len(past)-1
	for i >= 0 && past[i].Until == in && s.was(&past[i]) {
		in, i = past[i].From, i-1
	}
	if in <= at {
		return at, us
	}
	if i >= 0 && past[i].Until == in { // else it is not known any more when that was
		us = past[i].UntilUS
	}
	return in, us
}

// kept returns the first change that is still known of a record that had been within the
// scope's time before, where the spans of that are removed; 0: none is. A token is not as old
// as those: only who begins needs it.
func (s *source) kept(p *projection, h *storage.ReadHistory, past []storage.ReadPast) int64 {
	if !s.bounded() || !s.timed() {
		return 0
	}
	in, at, i := h.Since, changed(h, p.time), len(past)-1
	for i >= 0 && past[i].Until == in && s.was(&past[i]) {
		in, at, i = past[i].From, past[i].Until, i-1
	}
	if in == h.Born || i >= 0 && past[i].Until == in {
		return 0
	}
	return at
}

func (s *source) bounded() bool { return s.scope != nil && s.scope.Time != nil }

// within reports whether a record is within the scope's time.
func (s *source) within(row *storage.ReadRow) bool {
	switch {
	case !s.bounded():
		return true
	case !s.timed(): // the index has no times of it
		return s.shows(row.Key, row.Data)
	}
	return s.scope.Time.holds(row.History.Time)
}

// was reports whether a record was within it during a span.
func (s *source) was(p *storage.ReadPast) bool { return !s.bounded() || s.scope.Time.holds(p.Time) }
