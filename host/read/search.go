package read

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/host/read/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

const (
	mostQuery = 512 // characters of a query (RD-27)
	mostDocs  = 250 // documents that are read at once, with their records
)

// Search asks for records with words in the fields that are declared for a search.
type Search struct {
	Text        string
	Streams     []string // nil: all that are seen
	Connections []string // by id or name; nil: all that are seen
	Filters     []Filter // of one stream, which Streams names
	Limit       int      // 0: DefaultLimit
	Cursor      string
}

// Found is a page of hits, the newest records first.
type Found struct {
	Hits     []Hit
	Next     string // the cursor of the next page; "": this is the last
	Behind   int64  // how many changes of the store are not indexed yet, where that is the reader's to know
	Late     bool   // a part of what is searched is not indexed yet
	Unknown  int64  // how many of its records the index does not have; 0: some of them, or older ones of some
	Warnings []Warning
}

// Search finds records with all of the words in one field (RD-27). Any text is a query; one
// without a word finds nothing.
func (r *Reader) Search(ctx context.Context, scope *Scope, q Search) (*Found, error) {
	limit, warnings, err := checkSearch(scope, &q)
	if err != nil {
		return nil, err
	}
	if err := r.indexed(ctx); err != nil {
		return nil, err
	}
	return bounded(ctx, atMost/2, func(ctx context.Context) (*Found, error) {
		f := &Found{Warnings: warnings}
		return f, r.search(ctx, scope, &q, limit, f)
	})
}

// checkSearch refuses what cannot be searched for.
func checkSearch(scope *Scope, q *Search) (limit int, warnings []Warning, err error) {
	if limit, warnings, err = pageLimit(q.Limit); err != nil {
		return 0, nil, err
	}
	if utf8.RuneCountInString(q.Text) > mostQuery {
		return 0, nil, invalid("the text has at most 512 characters", "search for fewer words")
	}
	for _, name := range q.Streams {
		if _, ok := scope.of(name); !ok {
			return 0, nil, NotGranted("the stream") // RD-27.5
		}
	}
	if len(q.Filters) > 0 && len(q.Streams) != 1 {
		return 0, nil, invalid("a search with a filter is of one stream", "name it")
	}
	return limit, warnings, nil
}

// searching prepares a search, and the sealer of its cursors.
func (r *Reader) searching(ctx context.Context, scope *Scope, route string, q *Search, f *Found) (*searching, *sealer, error) {
	bound := *q
	bound.Limit, bound.Cursor = 0, ""
	seal, err := r.sealer(ctx, route, searchesLive, scope, bound)
	if err != nil {
		return nil, nil, err
	}
	s := &searching{Reader: r, scope: scope, asked: q, terms: words.Query(q.Text), found: f}
	if err := s.within(ctx); err != nil {
		return nil, nil, err
	}
	return s, seal, nil
}

func (r *Reader) search(ctx context.Context, scope *Scope, q *Search, limit int, f *Found) (err error) {
	s, seal, err := r.searching(ctx, scope, "search", q, f)
	if err != nil {
		return err
	}
	if q.Cursor != "" {
		plain, err := seal.open(q.Cursor)
		if err != nil {
			return err
		}
		before, size := binary.Uvarint(plain)
		if size <= 0 || before > 1<<62 {
			return foreignCursor()
		}
		s.before = int64(before)
	}
	more, err := s.collect(ctx, limit)
	if err == nil {
		err = s.admit(ctx, false)
	}
	if err == nil && more {
		f.Next, err = seal.seal(binary.AppendUvarint(nil, uint64(f.Hits[limit-1].seq))) //nolint:gosec // above zero
	}
	return err
}

// searching is one call of Search.
type searching struct {
	*Reader

	scope    *Scope
	asked    *Search
	terms    []words.Term
	words    []string              // the scopes to look in; nil: everywhere
	partial  []Warning             // what is not searched
	few      []chosen              // that are read without the index
	late     late                  // what is not indexed yet
	at       int64                 // how far the index is, for a client
	sources  map[int64]*source     // by stream; nil: it is not seen
	shown    map[int64]*projection // by stream
	where    map[int64][]condition // that its records keep to
	before   int64                 // records with a lower seq; 0: from the newest on
	took     int64                 // the record that was taken last
	dated    bool                  // histories are read as well
	filtered bool                  // it was warned of what the filters leave out
	found    *Found
}

// within finds out where to look. The index is asked for nothing that is not granted
// (RD-27.1). A client's streams are indexed as far as they are now, else it would be told less
// than a list, and by that of changes that it does not see; where that takes too long, others are
// searched alone.
func (s *searching) within(ctx context.Context) error {
	s.sources, s.shown, s.late = map[int64]*source{}, map[int64]*projection{}, late{}
	q := s.asked
	if s.scope.Owner && q.Streams == nil && q.Connections == nil {
		left, err := s.Index.All(ctx, s.briefly(toSearch))
		s.late.all = left.Any()
		return err
	}
	connections, err := s.connections(ctx, s.scope, nil, q.Connections)
	if err != nil {
		return err
	}
	wait := s.Wait
	if s.scope.Owner {
		wait = s.briefly(toSearch)
	}
	streams, at, err := s.Index.Ready(ctx, wait, func(ctx context.Context) ([]storage.ReadStream, error) {
		all, err := s.Store.ReadStreams(ctx, storage.ReadStreams{Connections: connections})
		return slices.DeleteFunc(all, func(one storage.ReadStream) bool {
			return q.Streams != nil && !slices.Contains(q.Streams, one.Name) || !s.scope.sees(&one)
		}), err
	})
	behind := abi.CodeOf(err) == CodeBehind
	if err != nil && !behind {
		return err
	}
	s.at = at.Indexed
	sources, err := s.planned(ctx, s.scope, streams)
	if err != nil {
		return err
	}
	s.words, s.few, s.partial = []string{}, nil, nil
	if behind {
		if sources, err = s.punctual(sources, &at); err != nil {
			return err
		}
	}
	if sources, err = s.filter(sources); err != nil {
		return err
	}
	for i := range sources {
		one := &sources[i]
		s.sources[one.ID] = one
		few, err := s.choose(ctx, one)
		if err != nil {
			return err
		}
		if few != nil {
			s.few = append(s.few, *few)
			continue
		}
		s.words = append(s.words, one.words()...)
	}
	return nil
}

// words are those that the index has for the fields of a source that are granted.
func (s *source) words() (all []string) {
	for n, name := range s.plan.Indexed {
		if s.grants(name) {
			all = append(all, plan.Scope(s.ID, n))
		}
	}
	if len(all) > 0 && len(all) == len(s.plan.Indexed) {
		return []string{plan.Whole(s.ID)}
	}
	return all
}

// filter reads the filters for each source, and leaves out those that lack a field of one, with
// a warning (RD-09.5).
func (s *searching) filter(sources []source) (kept []source, err error) {
	if len(s.asked.Filters) == 0 {
		return sources, nil
	}
	s.where = map[int64][]condition{}
	var warnings []Warning
	for i := range sources {
		where, has, err := conditions(sources[i].plan, s.asked.Filters)
		switch {
		case err != nil:
			return nil, err
		case !has:
			warnings = append(warnings, skipped(&sources[i], sources[i].lacks(fieldsOf(s.asked.Filters))))
			continue
		}
		s.where[sources[i].ID] = where
		kept = append(kept, sources[i])
	}
	if len(kept) == 0 && len(warnings) > 0 {
		return nil, unknownField(s.asked.Filters[0].Field)
	}
	if !s.filtered {
		s.found.Warnings, s.filtered = append(s.found.Warnings, warnings...), true
	}
	return kept, nil
}

// shows reports whether a record of a source is searched: it is seen, and keeps to the filters.
func (s *searching) shows(of *source, key string, data []byte) bool {
	if !of.shows(key, data) {
		return false
	}
	for i := range s.where[of.ID] {
		c := &s.where[of.ID][i]
		if !c.holds(field.Get(data, c.field)) {
			return false
		}
	}
	return true
}

// collect finds hits until there are as many as wanted, the newest first. more: there are
// others.
func (s *searching) collect(ctx context.Context, limit int) (more bool, err error) {
	if len(s.terms) == 0 {
		return false, nil
	}
	for again := !s.scope.Owner; ; {
		s.found.Hits, s.took = nil, 0
		moved, indexed, err := s.look(ctx, limit)
		if err != nil {
			return false, err
		}
		if moved && again && !s.late.any() { // of what a client sees there may be a match that the index does not know
			was := s.at
			if err := s.within(ctx); err != nil {
				return false, err
			}
			again = s.at > was
			continue
		}
		if err := s.match(ctx); err != nil {
			return false, err
		}
		more = indexed || len(s.found.Hits) > limit
		s.newest(limit)
		return more, nil
	}
}

// newest leaves so many hits, the newest first.
func (s *searching) newest(limit int) {
	slices.SortStableFunc(s.found.Hits, func(a, b Hit) int { return cmp.Compare(b.seq, a.seq) })
	s.found.Hits = s.found.Hits[:min(len(s.found.Hits), limit)]
}

// look finds hits by the index. moved: a record has changed since it was indexed.
func (s *searching) look(ctx context.Context, limit int) (moved, more bool, err error) {
	if s.words != nil && len(s.words) == 0 {
		return false, false, nil
	}
	q := storage.ReadSearch{Scopes: s.words, Before: s.before, Limit: min(2*(limit+1), max(mostDocs, limit+1)), Bytes: chunkBytes, Histories: s.dated}
	for _, t := range s.terms {
		q.Terms = append(q.Terms, storage.ReadTerm{Words: t.Words, Prefix: t.Prefix})
	}
	for {
		docs, others, err := s.Store.Search(ctx, q)
		if err != nil {
			return false, false, err
		}
		if err := s.know(ctx, docs); err != nil {
			return false, false, err
		}
		for i := range docs {
			moved = moved || docs[i].Seq == 0
			if err := s.take(ctx, &docs[i]); err != nil {
				return false, false, err
			}
			if !s.dated && len(s.found.Hits) > limit {
				s.found.Hits = s.found.Hits[:limit]
				return moved, true, nil
			}
		}
		// A client sees no newer change of a record than its last: once the hits are newer than all
		// records to come, hidden changes decide nothing (Invariant 9).
		if more = more || len(s.found.Hits) > limit; more {
			s.newest(limit)
			if len(docs) > 0 && s.found.Hits[limit-1].seq >= docs[len(docs)-1].Indexed {
				return moved, true, nil
			}
		}
		if !others {
			return moved, more, nil
		}
		q.Before = docs[len(docs)-1].Indexed // its other fields are looked at with the first
	}
}

// know learns the streams of what was found.
func (s *searching) know(ctx context.Context, docs []storage.ReadHit) error {
	var ids []int64
	for i := range docs {
		if docs[i].Seq > 0 {
			ids = append(ids, docs[i].StreamID)
		}
	}
	return s.learn(ctx, ids)
}

// learn learns streams, where everything is searched: else those that are searched are known, and
// no other one is. One that the scope does not show stays unknown.
func (s *searching) learn(ctx context.Context, ids []int64) error {
	if s.words != nil {
		return nil
	}
	fresh := []int64{}
	for _, id := range ids {
		if _, known := s.sources[id]; !known {
			s.sources[id] = nil
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	streams, err := s.Store.ReadStreams(ctx, storage.ReadStreams{IDs: fresh})
	if err != nil {
		return err
	}
	sources, err := s.planned(ctx, s.scope, streams)
	for i := range sources {
		s.sources[sources[i].ID] = &sources[i]
	}
	return err
}

// take adds the record of a document to the hits when it is still as it was indexed, is seen,
// and has the words.
func (s *searching) take(ctx context.Context, d *storage.ReadHit) error {
	of := s.sources[d.StreamID]
	if d.Seq == 0 || of == nil || s.took == d.Seq || !s.shows(of, d.Key, d.Data) {
		return nil
	}
	s.took = d.Seq
	return s.add(ctx, of, &d.Row, nil)
}

// add adds a record to the hits when it has the words.
func (s *searching) add(ctx context.Context, of *source, row *storage.ReadRow, past []storage.ReadPast) error {
	told := *row
	told.Data = nil // no part of it is shown but the snippet
	h := Hit{Record: of.record(&told, nil, nil, nil), seq: row.Seq, of: of}
	if !h.matchAll(of, row.Data, s.terms) {
		return nil
	}
	if s.dated && row.History != nil {
		p, err := s.projection(ctx, of)
		if err != nil {
			return err
		}
		h.seq, h.us = of.since(p, row.History, past)
	}
	s.found.Hits = append(s.found.Hits, h)
	return nil
}
