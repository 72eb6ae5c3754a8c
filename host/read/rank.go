package read

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/host/read/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// MostCandidates is how many of the newest matches are ranked (RD-27.3).
const MostCandidates = 1000

// Ranking is a page of hits, the best ones first.
type Ranking struct {
	Found

	Matches  int  // how many records were ranked
	Complete bool // those are all that match
}

// Rank finds records as Search does, and orders the newest of them by how well they match:
// by how often they have the words, and in how short a text. The order depends on the matches
// that the scope shows alone, so that no other record weighs in (Invariant 9, RD-27.3). A cursor goes on with the order of the first page; what does not match any more is left out.
func (r *Reader) Rank(ctx context.Context, scope *Scope, q Search) (*Ranking, error) {
	limit, warnings, err := checkSearch(scope, &q)
	if err != nil {
		return nil, err
	}
	if err := r.indexed(ctx); err != nil {
		return nil, err
	}
	return bounded(ctx, atMost/2, func(ctx context.Context) (*Ranking, error) {
		page := &Ranking{Found: Found{Warnings: warnings}}
		return page, r.rank(ctx, scope, &q, limit, page)
	})
}

func (r *Reader) rank(ctx context.Context, scope *Scope, q *Search, limit int, page *Ranking) (err error) {
	s, seal, err := r.searching(ctx, scope, "rank", q, &page.Found)
	if err != nil {
		return err
	}
	var order *ranking
	from := 0
	if q.Cursor == "" {
		order, err = s.order(ctx)
	} else {
		order, from, err = r.goOn(seal, q.Cursor)
	}
	if err != nil {
		return err
	}
	page.Warnings = append(page.Warnings, s.partial...)
	for from < len(order.at) && len(page.Hits) < limit {
		part := order.at[from:min(from+limit-len(page.Hits), len(order.at))]
		if err := s.show(ctx, part); err != nil {
			return err
		}
		from += len(part)
	}
	if err := s.admit(ctx, order.late); err != nil {
		return err
	}
	order.late = page.Late
	page.Matches, page.Complete = len(order.at), order.complete && !page.Late
	if from < len(order.at) {
		page.Next, err = r.freeze(seal, scope, order, from)
	}
	return err
}

// candidate is a match with what it is ranked by.
type candidate struct {
	rankedAt

	of    *source
	score float64
	us    int64 // when what is shown of it was emitted
}

// order ranks the newest matches.
func (s *searching) order(ctx context.Context) (*ranking, error) {
	s.dated = !s.scope.Owner
	more, err := s.collect(ctx, MostCandidates)
	if err != nil {
		return nil, err
	}
	all := make([]candidate, len(s.found.Hits))
	weigh := newWeights(s.found.Hits)
	for i := range s.found.Hits {
		h := &s.found.Hits[i]
		if all[i] = (candidate{rankedAt{h.of.ID, h.Key}, h.of, weigh.score(h.matches), h.us}); s.scope.Owner {
			all[i].us = plan.Emitted(h.EmittedAt)
		}
	}
	s.found.Hits = nil
	if err := s.date(ctx, all); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.us, a.us), strings.Compare(a.of.ConnectionID, b.of.ConnectionID),
			strings.Compare(a.of.Name, b.of.Name), strings.Compare(a.key, b.key))
	})
	order := &ranking{complete: !more && len(s.partial) == 0, made: s.Now()}
	for i := range all {
		order.at = append(order.at, all[i].rankedAt)
	}
	return order, nil
}

// date finds out when what a client sees of each candidate was emitted, where the search did not
// find its past.
func (s *searching) date(ctx context.Context, all []candidate) error {
	if s.scope.Owner {
		return nil
	}
	by := map[rankedAt]*candidate{}
	var moved []rankedAt
	for i := range all {
		if c := &all[i]; c.us == 0 {
			moved = append(moved, c.rankedAt)
			by[c.rankedAt] = c
		}
	}
	return s.each(ctx, moved, func(of *source, shown *projection, row *storage.ReadRow, past []storage.ReadPast) {
		if row.History != nil {
			_, by[rankedAt{of.ID, row.Key}].us = of.since(shown, row.History, past)
		}
	})
}

// each reads the records at some places, in any order, and calls fn with those that are there
// and seen.
func (s *searching) each(ctx context.Context, at []rankedAt, fn func(*source, *projection, *storage.ReadRow, []storage.ReadPast)) error {
	keys := map[int64][]string{}
	for _, a := range at {
		keys[a.stream] = append(keys[a.stream], a.key)
	}
	for stream, all := range keys {
		if err := s.learn(ctx, []int64{stream}); err != nil {
			return err
		}
		of := s.sources[stream]
		if of == nil {
			continue
		}
		shown, err := s.projection(ctx, of)
		if err != nil {
			return err
		}
		err = s.byKey(ctx, of, all, s.records, func(row *storage.ReadRow, past []storage.ReadPast) error {
			if row.Data != nil && s.shows(of, row.Key, row.Data) {
				fn(of, shown, row, past)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// show adds the hits at some places to the page, in their order, as far as they still match.
func (s *searching) show(ctx context.Context, at []rankedAt) error {
	found := map[rankedAt]Hit{}
	err := s.each(ctx, at, func(of *source, shown *projection, row *storage.ReadRow, past []storage.ReadPast) {
		told := *row
		told.Data = nil
		h := Hit{Record: of.record(&told, shown, past, nil)}
		if h.matchAll(of, row.Data, s.terms) {
			found[rankedAt{of.ID, row.Key}] = h
		}
	})
	for _, a := range at {
		if h, ok := found[a]; ok {
			s.found.Hits = append(s.found.Hits, h)
		}
	}
	return err
}

// weights say what a match counts for, as BM25 has it. Every candidate has all of the words,
// so that no word is rarer among them than another.
type weights struct{ average float64 } // words of a field

func newWeights(hits []Hit) *weights {
	total, fields := 0, 0
	for i := range hits {
		for _, m := range hits[i].matches {
			total, fields = total+m.Words, fields+1
		}
	}
	return &weights{float64(total) / float64(max(fields, 1))}
}

// The usual constants of BM25: how soon one word more counts for little, and how much the
// length of a text counts.
const (
	saturation = 1.2
	byLength   = 0.75
)

func (w *weights) score(matches []words.Match) (score float64) {
	for _, m := range matches {
		length := 1 - byLength + byLength*float64(m.Words)/max(w.average, 1)
		for _, n := range m.Times {
			score += float64(n) * (saturation + 1) / (float64(n) + saturation*length)
		}
	}
	return score
}

// rankedAt is the place of a record that was ranked.
type rankedAt struct {
	stream int64
	key    string
}

// ranking is an order of matches that stays as it is.
type ranking struct {
	at       []rankedAt
	complete bool
	late     bool // a part of what was searched was not indexed yet
	made     time.Time
	id       []byte            // nil: it is not kept
	scope    [sha256.Size]byte // a hash of whose it is
}

// Rankings keeps the orders of searches that have further pages. Its zero value is ready,
// and it is safe for concurrent use.
type Rankings struct {
	mu sync.Mutex
	by map[string]*ranking
}

// How many orders are kept, of one scope and in all. The oldest makes room for another, one of
// the same scope first: nobody's searches end those of others.
const (
	mostOfScope  = 8
	mostRankings = 256
)

const rankingID = 16

// freeze keeps an order, and returns the cursor of what stands in it from a place on.
func (r *Reader) freeze(seal *sealer, scope *Scope, order *ranking, from int) (string, error) {
	whose, err := json.Marshal(scope) //nolint:musttag // it is compared in this process alone
	if err != nil {
		return "", err
	}
	k := r.Ranked
	k.mu.Lock()
	defer k.mu.Unlock()
	if order.id == nil { // it is the first page
		order.id = make([]byte, rankingID)
		if _, err := io.ReadFull(r.Random, order.id); err != nil {
			return "", err
		}
		order.scope = sha256.Sum256(whose)
		k.keep(order)
	}
	return seal.seal(binary.BigEndian.AppendUint32(slices.Clone(order.id), uint32(from))) //nolint:gosec // at most MostCandidates
}

func (k *Rankings) keep(order *ranking) {
	if k.by == nil {
		k.by = map[string]*ranking{}
	}
	same := func(one *ranking) bool { return one.scope == order.scope }
	k.bound(mostOfScope, same)
	k.bound(mostRankings, func(*ranking) bool { return true })
	k.by[string(order.id)] = order
}

// bound makes room for one more among some.
func (k *Rankings) bound(most int, among func(*ranking) bool) {
	oldest, n := "", 0
	for name, one := range k.by {
		if !among(one) {
			continue
		}
		if n++; oldest == "" || one.made.Before(k.by[oldest].made) {
			oldest = name
		}
	}
	if n >= most {
		delete(k.by, oldest)
	}
}

// goOn returns the order that a cursor belongs to, and the place.
func (r *Reader) goOn(seal *sealer, cursor string) (*ranking, int, error) {
	plain, err := seal.open(cursor)
	if err != nil {
		return nil, 0, err
	}
	if len(plain) != rankingID+4 {
		return nil, 0, foreignCursor()
	}
	k := r.Ranked
	k.mu.Lock()
	defer k.mu.Unlock()
	order := k.by[string(plain[:rankingID])]
	if order == nil || r.Now().Sub(order.made) > searchesLive {
		return nil, 0, tooOld()
	}
	return order, int(binary.BigEndian.Uint32(plain[rankingID:])), nil
}
