package read

import (
	"context"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Limits of one page (RD-14).
const (
	DefaultLimit = 25
	MostLimit    = 100
)

// emittedAt sorts an owner's list by when the records were emitted, where no stream of it has a
// cursor field of that name (RD-15.4).
const emittedAt = "emitted_at"

// List asks for a page of a stream.
type List struct {
	From

	Filters []Filter
	Fields  []string // of the answer; nil: all that are seen
	Sort    string   // the cursor field, or emitted_at; with - before it for descending; "": the stream's order, descending
	Order   string   // asc, desc; "": as Sort
	Limit   int      // 0: DefaultLimit
	Cursor  string   // of the page before; "": the first page
	Count   bool     // count all that the filters choose
	Times   bool     // find out of which times those are
	Expand  Expand   `json:"expand,omitzero"`
}

// Page is a part of a list.
type Page struct {
	Records  []Record
	Next     string // the cursor of the next page; "": this is the last
	Since    string // a token of the changes since the first page (RD-16.5); "": the list has filters, or expands
	Count    *int64 // nil: not asked for, or it takes too long
	Estimate *int64 // where it takes too long, and the scope is whole streams
	Times    *Times
	Warnings []Warning

	Connections []string // that were read
}

// List returns a page of a stream, ordered by its cursor field and then by key (RD-14 to
// RD-18). Records of several connections make one list.
func (r *Reader) List(ctx context.Context, scope *Scope, l List) (*Page, error) {
	page := new(Page)
	limit, warnings, err := pageLimit(l.Limit)
	if err != nil {
		return nil, err
	}
	page.Warnings = warnings
	if !scope.Owner && len(l.Filters) > 0 {
		return nil, invalid("a filter cannot be used here", "leave it out") // RD-17.1
	}
	if err := l.Expand.refuse(scope); err != nil {
		return nil, err
	}
	return bounded(ctx, atMost, func(ctx context.Context) (*Page, error) { return page, r.list(ctx, scope, &l, limit, page) })
}

// pageLimit reads how many rows a page may have.
func pageLimit(asked int) (int, []Warning, error) {
	switch {
	case asked < 0:
		return 0, nil, invalid("the limit is above zero", "leave it out for the default")
	case asked == 0:
		return DefaultLimit, nil, nil
	case asked > MostLimit:
		return MostLimit, []Warning{{Code: WarnClamped, Message: "at most 100 records come at once"}}, nil
	}
	return asked, nil, nil
}

func (r *Reader) list(ctx context.Context, scope *Scope, l *List, limit int, page *Page) error {
	sources, at, err := r.sources(ctx, scope, l.From)
	if err != nil {
		return err
	}
	m, err := r.merge(sources, l, page)
	if err != nil {
		return err
	}
	bound := *l
	bound.Limit, bound.Cursor, bound.Count, bound.Times = 0, "", false, false
	for _, w := range m.walks {
		page.Connections = append(page.Connections, w.source.ConnectionID)
	}
	seal, err := r.sealer(ctx, "list", pagesLive, scope, bound)
	if err != nil {
		return err
	}
	began, err := r.began(ctx, m, l, at, seal)
	if err != nil {
		return err
	}
	for _, w := range m.walks {
		w.share = m.share(limit + 1)
	}
	page.Records = make([]Record, 0, limit)
	last, parents := new(position), []led(nil)
	for len(page.Records) <= limit {
		w, row, err := m.next(ctx, limit+1-len(page.Records))
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if len(page.Records) == limit {
			if page.Next, err = seal.seal(append(began.bytes(), last.bytes(m.hidden())...)); err != nil {
				return err
			}
			break
		}
		page.Records = append(page.Records, w.source.record(row, w.shown, w.past[row.Key], l.Fields))
		if l.Expand.Names != nil {
			parents = append(parents, led{w.source, row.Data, nil})
		}
		last = &position{row.Sort, row.Key, w.source.ConnectionID}
	}
	for i := range parents {
		parents[i].record = &page.Records[i]
	}
	if err := r.expand(ctx, scope, &l.Expand, parents); err != nil {
		return err
	}
	if l.Count {
		r.count(ctx, m.walks, page)
	}
	if l.Times {
		r.times(ctx, m.walks, page)
	}
	if l.Filters == nil && l.Expand.Names == nil {
		page.Since, err = r.sealSince(ctx, scope, l.From, l.Fields, began)
	}
	return err
}

// began returns what the store had when the first page of a list was asked for, and has the
// list go on behind the page before.
func (r *Reader) began(ctx context.Context, m *merged, l *List, store storage.ReadPosition, seal *sealer) (*mark, error) {
	sources := make([]source, len(m.walks))
	for i, w := range m.walks {
		sources[i] = *w.source
	}
	shown, err := r.projections(ctx, sources, l.Fields)
	if err != nil {
		return nil, err
	}
	for i, w := range m.walks {
		w.shown = &shown[i]
	}
	if l.Cursor == "" {
		began := markOf(store, sources, l.Fields)
		began.Listed = true
		return &began, nil
	}
	plain, err := seal.open(l.Cursor)
	if err != nil {
		return nil, err
	}
	began, rest, err := readMark(plain)
	if err != nil {
		return nil, err
	}
	at, err := readPosition(rest)
	if err == nil {
		m.goOn(at)
	}
	return &began, err
}

// merge prepares the walks of a list. A source that lacks a field of the request is left
// out with a warning; when all of them do, the field is unknown (RD-09.5).
func (r *Reader) merge(sources []source, l *List, page *Page) (*merged, error) {
	descending, named, err := direction(l)
	if err != nil {
		return nil, err
	}
	sorted := slices.ContainsFunc(sources, func(s source) bool { return named != "" && s.plan.CursorField == named })
	emitted := named == emittedAt && !sorted && !slices.ContainsFunc(sources, func(s source) bool { return s.scope != nil })
	m := &merged{descending: descending}
	lacking, leadless := "", ""
	for i := range sources {
		s := &sources[i]
		where, _, err := conditions(s.plan, l.Filters)
		if err != nil {
			return nil, err
		}
		used := append(fieldsOf(l.Filters), l.Fields...)
		if sorted && s.lacks([]string{named}) == named {
			used = append(used, named)
		}
		if lacks := s.lacks(used); lacks != "" {
			lacking = lacks
			page.Warnings = append(page.Warnings, skipped(s, lacks))
			continue
		}
		if name := s.leadless(&l.Expand); name != "" {
			leadless = name
			page.Warnings = append(page.Warnings, Warning{Code: WarnSkipped, Message: "its records do not have a relation that was asked for, or not with that limit", Connection: s.ConnectionID})
			continue
		}
		if err := s.refuse(l.Fields); err != nil {
			return nil, err
		}
		if named != "" && !s.grants(named) {
			return nil, fieldHidden(named) // RD-15.5
		}
		if named != "" && s.plan.CursorField != named && !emitted {
			return nil, sortless(named)
		}
		w := &walk{store: r.Store, reader: r, source: s, where: where, emitted: emitted, descending: descending, bytes: chunkBytes / len(sources)}
		if !emitted {
			w.from, w.to = s.edges(where)
		}
		within, fits := s.beside()
		w.within, w.last = within, !fits
		m.walks = append(m.walks, w)
	}
	switch {
	case len(m.walks) == 0 && leadless != "":
		return nil, noLead(leadless)
	case len(m.walks) == 0 && lacking != "":
		return nil, unknownField(lacking)
	}
	return m, nil
}

// lacks names the first of some fields that the source does not declare; "": none.
func (s *source) lacks(fields []string) string {
	for _, name := range fields {
		if s.plan.Field(name) == nil {
			return name
		}
	}
	return ""
}

// refuse refuses the fields that are not granted.
func (s *source) refuse(fields []string) error {
	for _, name := range fields {
		if !s.grants(name) {
			return fieldHidden(name)
		}
	}
	return nil
}

// fitting returns the sources that have all of some fields. When none does, the field is
// unknown (RD-09.5).
func fitting(sources []source, fields []string, warned *[]Warning) (kept []source, err error) {
	lacking := ""
	for i := range sources {
		s := &sources[i]
		if name := s.lacks(fields); name != "" {
			lacking = name
			*warned = append(*warned, skipped(s, name))
			continue
		}
		if err := s.refuse(fields); err != nil {
			return nil, err
		}
		kept = append(kept, *s)
	}
	if len(kept) == 0 && lacking != "" {
		return nil, unknownField(lacking)
	}
	return kept, nil
}

// direction reads the order of a list, and the field that it names; "": the stream's own.
func direction(l *List) (descending bool, named string, err error) {
	named, below := strings.CutPrefix(l.Sort, "-")
	descending = l.Sort == "" || below
	switch {
	case l.Order != "" && l.Order != "asc" && l.Order != "desc":
		return false, "", invalid("the order is asc or desc", "")
	case l.Sort != "" && named == "":
		return false, "", sortless("-")
	case l.Order != "" && l.Sort != "" && (l.Order == "desc") != descending:
		return false, "", sortless(named)
	case l.Order != "":
		descending = l.Order == "desc"
	}
	return descending, named, nil
}

// skipped warns of a source that lacks a field of the request.
func skipped(s *source, lacks string) Warning {
	return Warning{WarnSkipped, "its records lack a field that was asked for", lacks, s.ConnectionID}
}

func sortless(name string) error {
	return abi.NewError(CodeSort, "a list is not sorted by "+name+", or sort and order disagree", "sort by the stream's cursor field; an owner sorts by emitted_at, too")
}

// merged is one list of several walks.
type merged struct {
	walks      []*walk
	descending bool
}

// hidden reports whether what orders the list is not seen (RD-15.5).
func (m *merged) hidden() bool {
	return slices.ContainsFunc(m.walks, func(w *walk) bool {
		return w.source.plan.CursorField != "" && !w.source.grants(w.source.plan.CursorField)
	})
}

// goOn has each walk begin behind a record of one of them.
func (m *merged) goOn(at *position) {
	for _, w := range m.walks {
		w.after = &storage.ReadPlace{Sort: at.Sort, Key: at.Key}
		later := w.source.ConnectionID > at.Connection
		w.at = later != m.descending && w.source.ConnectionID != at.Connection
	}
}

// share is about how many of so many records each walk has, where they have as many as one
// another: an eighth more than its part.
func (m *merged) share(want int) int { return min(want, 9*want/(8*max(len(m.walks), 1))+1) } //nolint:mnd // as above

// next returns the next record and its walk; nil: there is none.
func (m *merged) next(ctx context.Context, want int) (*walk, *storage.ReadRow, error) {
	var first *walk
	for _, w := range m.walks {
		row, err := w.head(ctx, want)
		if err != nil {
			return nil, nil, err
		}
		if row != nil && (first == nil || m.before(w, first)) {
			first = w
		}
	}
	if first == nil {
		return nil, nil, nil
	}
	row, err := first.next(ctx, want)
	return first, row, err
}

// before reports whether the head of a walk comes before another's.
func (m *merged) before(a, b *walk) bool {
	x, y := a.ahead[0], b.ahead[0]
	if mx, my := field.IsMissing(x.Sort), field.IsMissing(y.Sort); mx != my {
		return my
	}
	d := compare(x.Sort, y.Sort)
	if d == 0 {
		d = strings.Compare(x.Key, y.Key)
	}
	if d == 0 {
		d = strings.Compare(a.source.ConnectionID, b.source.ConnectionID)
	}
	return d < 0 != m.descending
}
