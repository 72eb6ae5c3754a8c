package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

const (
	// searchResults is how many results one search gives at most, whatever it
	// counts.
	searchResults = 1000
	searchPage    = 100
	// searchTries is how often a search that did not finish is repeated where it
	// cannot be made smaller.
	searchTries = 3
)

// searchFloor is before every pull request there is.
var searchFloor = time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC)

// span is a range of times of last change, both ends included.
type span struct {
	from time.Time
	to   time.Time // zero: open
}

// Members implements cursor.Value.
func (s *span) Members(m *cursor.Members) {
	m.Time("from", &s.from)
	m.Time("to", &s.to)
}

// found is one result of the search.
type found struct {
	pull

	updated time.Time
}

func (f *found) detail() sdk.Detail {
	return sdk.Detail{Key: []string{f.id}, UpdatedAt: searchTime(f.updated), Locator: f.locator()}
}

// searcher lists the pull requests of a span, newest change first.
//
// It continues by time and not by page number: the last result's time is the end of the
// next query, so a pull request that changes meanwhile, and so leaves the span, moves
// no other result across a page's border. A query that counts more results than a
// search gives, or that does not finish, is repeated for a smaller span: from the
// year's beginning, then for halves.
type searcher struct {
	r     *run
	tally *problems.Tally

	rest   span
	lower  time.Time // of the question, within rest
	page   int       // above 1 only where one second has more than a page
	tries  int
	asked  int
	ended  bool
	capped bool
	// Whether results of the span were left out: by searches that did not finish, which
	// may do better later; by one second with more results than a search gives; because
	// they could not be read.
	unfinished, crowded, unread bool

	edge map[string]bool // results at the very time that the question ends with
	last time.Time
}

func (r *run) search(tally *problems.Tally, of span) *searcher {
	if of.from.Before(searchFloor) {
		of.from = searchFloor
	}
	return &searcher{r: r, tally: tally, rest: of, lower: of.from, page: 1, edge: make(map[string]bool)}
}

// next returns some further results. None and no error means the end: check ended,
// which is false when the run's share of pages came to an end first.
func (s *searcher) next() ([]found, error) {
	for !s.ended {
		if s.asked++; s.asked > maxPages {
			s.capped = true
			return nil, nil
		}
		v, err := s.r.Ask(s.r.request(s.query(), mediaJSON, ""))
		if err != nil {
			return nil, err
		}
		items := v.Get("items")
		total, ok := v.Get("total_count").IntOK()
		if items.Kind() != jsonvalue.Array || !ok {
			return nil, s.r.Malformed("GitHub gave a search result without items")
		}
		incomplete := v.Get("incomplete_results").Bool()
		if incomplete || total > searchResults && s.page == 1 {
			if s.narrow(items, incomplete) {
				continue
			}
			if incomplete {
				if s.tries++; s.tries < searchTries {
					continue
				}
				s.unfinished = true
			}
		}
		s.tries = 0
		list := s.results(items)
		s.advance(items, list, total)
		// Before any cursor passes that second: no later run searches it again, so a run killed
		// between the two would lose the report.
		if s.tally.Count(crowded) > 0 {
			if err := s.tally.Report(); err != nil {
				return nil, err
			}
		}
		if len(list) > 0 {
			return list, nil
		}
	}
	return nil, nil
}

// query is the address of the next search.
func (s *searcher) query() string {
	q := "is:pr author:" + s.r.login + " updated:"
	if s.rest.to.IsZero() {
		q += ">=" + searchTime(s.lower)
	} else {
		q += searchTime(s.lower) + ".." + searchTime(s.rest.to)
	}
	return "/search/issues?q=" + api.Escape(q) + "&sort=updated&order=desc&per_page=" + strconv.Itoa(searchPage) +
		"&page=" + strconv.Itoa(s.page)
}

func searchTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// narrow makes the query smaller, and reports whether it could. A query that does not
// finish for a day will not for an hour.
func (s *searcher) narrow(items jsonvalue.Value, incomplete bool) bool {
	to := s.rest.to
	if to.IsZero() {
		// The provider's own newest time, unless it gave none.
		if to, _ = instant(items.At(0).Get("updated_at")); to.IsZero() {
			to = s.r.Now()
		}
	}
	if incomplete && to.Sub(s.lower) <= 24*time.Hour {
		return false
	}
	year := time.Date(to.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	lower := year
	if !lower.After(s.lower) {
		lower = s.lower.Add(to.Sub(s.lower) / 2).Truncate(time.Second)
		if !lower.After(s.lower) {
			lower = to
		}
	}
	if !lower.After(s.lower) || lower.After(to) {
		return false
	}
	s.lower, s.page = lower, 1
	return true
}

// results reads the items that were not seen yet.
func (s *searcher) results(items jsonvalue.Value) []found {
	var list []found
	for it := items.Children(); it.Next(); {
		f, ok := readFound(it.Value())
		if !ok {
			s.tally.Note(unreadable, api.NumberID(it.Value().Get("id")))
			s.unread = true
			continue
		}
		if !f.updated.Equal(s.last) {
			clear(s.edge)
			s.last = f.updated
		}
		if s.edge[f.id] {
			continue
		}
		s.edge[f.id] = true
		list = append(list, f)
	}
	return list
}

// advance moves the query behind the listed results.
func (s *searcher) advance(items jsonvalue.Value, list []found, total int64) {
	full := items.Len() >= searchPage || int64(items.Len()) < total && items.Len() > 0
	switch {
	case !full: // the question is answered whole
		if !s.lower.After(s.rest.from) {
			s.ended = true
			return
		}
		s.rest.to = s.lower.Add(-time.Second)
		s.lower, s.page = s.rest.from, 1
	case len(list) > 0 && (s.rest.to.IsZero() || s.last.Before(s.rest.to)) && !s.last.Before(s.lower):
		s.rest.to, s.page = s.last, 1
	case s.page*searchPage >= searchResults:
		// More results of one second than a search gives.
		if !s.crowded {
			s.tally.Note(crowded, "")
		}
		s.crowded = true
		if s.rest.to.IsZero() || !s.rest.to.After(s.rest.from) {
			s.ended = true
			return
		}
		s.rest.to = s.rest.to.Add(-time.Second)
		s.lower, s.page = s.rest.from, 1
	default:
		s.page++
	}
}

// readFound reads one result.
func readFound(v jsonvalue.Value) (found, bool) {
	var f found
	f.id = api.NumberID(v.Get("id"))
	f.number, _ = v.Get("number").IntOK()
	f.repo = repositoryOf(v.Get("repository_url").View())
	f.reactions = v.Get("reactions").Get("total_count").Int()
	f.stateReason = v.Get("state_reason").Str()
	at, ok := instant(v.Get("updated_at"))
	f.updated = at
	return f, ok && f.id != "" && f.number > 0 && f.repo != ""
}
