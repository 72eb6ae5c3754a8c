package read

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// ranked asks for the pages of a ranking, and returns the keys and the last page.
func (s *shelf) ranked(scope *Scope, q Search) (keys []string, last *Ranking) {
	s.Helper()
	for {
		page, err := s.Rank(s.Context(), scope, q)
		s.ok(err)
		for i := range page.Hits {
			keys = append(keys, page.Hits[i].Key)
		}
		if q.Cursor = page.Next; page.Next == "" {
			return keys, page
		}
	}
}

// RD-27.3: what has the words more often, or in fewer words, comes first, and the newest of
// equals; the pages of a ranking are those of one order.
func TestRank(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "long", `{"id":"long","title":"red `+strings.Repeat("word ", 40)+`"}`, "once", `{"id":"once","title":"red word"}`)
	s.now = s.now.Add(time.Hour)
	s.put("d", "notes", "thrice", `{"id":"thrice","title":"red, red, red word"}`, "again", `{"id":"again","title":"word red"}`, "both", `{"id":"both","title":"red word","body":"red"}`)
	want := []string{"both", "thrice", "again", "once", "long"}
	for _, limit := range []int{1, 2, 100} {
		got, last := s.ranked(OwnerScope(), Search{Text: "red", Limit: limit})
		s.same(got, want)
		if last.Matches != len(want) || !last.Complete {
			t.Errorf("limit %d: got %d matches, complete %v, want %d, and all of them", limit, last.Matches, last.Complete, len(want))
		}
	}
	first, err := s.Rank(t.Context(), OwnerScope(), Search{Text: "red", Limit: 1})
	s.ok(err)
	if h := &first.Hits[0]; strings.Join(h.Matched, " ") != "body title" || h.Data != nil || h.Snippet != "red" {
		t.Errorf("got %+v, want both fields and no data", h)
	}
}

// RD-27.4: a cursor goes on with the order of the first page, whatever came since, leaves out
// what went, lives for ten minutes, and belongs to one search under one scope.
func TestRankIsFrozen(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	s.put("c", "notes", "a", `{"id":"a","title":"red, red, red"}`, "b", `{"id":"b","title":"red red x"}`, "c", `{"id":"c","title":"red x y"}`)
	first, err := s.Rank(t.Context(), scope, Search{Text: "red", Limit: 1})
	s.ok(err)
	s.put("c", "notes", "-b", "", "c", `{"id":"c","title":"red! red? red. red"}`, "new", `{"id":"new","title":"red"}`)
	next := Search{Text: "red", Limit: 1, Cursor: first.Next}
	for range 2 { // the same page again
		page, err := s.Rank(t.Context(), scope, next)
		s.ok(err)
		if len(page.Hits) != 1 || page.Hits[0].Key != "c" || page.Matches != 3 || page.Next != "" {
			t.Errorf("got %+v, want c alone, the last of 3", page)
		}
	}
	for name, q := range map[string]Search{"words": {Text: "x", Cursor: first.Next}, "streams": {Text: "red", Streams: []string{"notes"}, Cursor: first.Next}, "a bit": {Text: "red", Cursor: first.Next[1:]}} {
		if _, err := s.Rank(t.Context(), scope, q); err == nil {
			t.Errorf("other %s: got an answer, want none", name)
		}
	}
	_, err = s.Rank(t.Context(), OwnerScope(), next)
	s.code(err, CodeCursor)
	s.now = s.now.Add(searchesLive + time.Second)
	_, err = s.Rank(t.Context(), scope, next)
	s.code(err, CodeCursor)
}

// RD-27.3: no more than the newest matches are ranked, and the answer says so.
func TestRankIsBounded(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	var records []string
	for i := range MostCandidates + 20 {
		records = append(records, fmt.Sprintf("%04d", i), fmt.Sprintf(`{"id":"%d","title":"red"}`, i))
	}
	s.put("c", "notes", records...)
	page, err := s.Rank(t.Context(), OwnerScope(), Search{Text: "red", Limit: 100})
	s.ok(err)
	if page.Matches != MostCandidates || page.Complete || len(page.Hits) != 100 {
		t.Errorf("got %d of %d, complete %v, want 100 of %d, and others", len(page.Hits), page.Matches, page.Complete, MostCandidates)
	}
	client := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	first, err := s.Rank(t.Context(), client, Search{Text: "red", Limit: 1})
	s.ok(err)
	for range mostOfScope + 10 {
		_, err = s.Rank(t.Context(), OwnerScope(), Search{Text: "red", Limit: 1})
		s.ok(err)
	}
	if got := len(s.Ranked.by); got != mostOfScope+1 {
		t.Errorf("%d orders are kept, want %d", got, mostOfScope+1)
	}
	_, err = s.Rank(t.Context(), client, Search{Text: "red", Limit: 1, Cursor: first.Next})
	s.ok(err) // the owner's searches have not ended it
}

// Invariant 9, RD-27.1, RD-34.4: a change of a field that is not granted moves no hit, neither
// its place nor its date, and a word in it changes no answer. The owner sees the change.
func TestRankOfHiddenChanges(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	s.put("c", "notes", "a", `{"id":"a","title":"red"}`)
	s.now = s.now.Add(time.Hour)
	s.put("c", "notes", "b", `{"id":"b","title":"red"}`)
	told := func(scope *Scope) string {
		page, err := s.Rank(t.Context(), scope, Search{Text: "red"})
		s.ok(err)
		var b strings.Builder
		for _, h := range page.Hits {
			fmt.Fprintln(&b, h.Key, h.EmittedAt, h.Matched)
		}
		return b.String()
	}
	want := told(scope)
	s.now = s.now.Add(time.Hour)
	s.put("c", "notes", "a", `{"id":"a","title":"red","body":"red red","n":5}`)
	if got := told(scope); got != want {
		t.Errorf("got %q, want %q as before", got, want)
	}
	if got := told(OwnerScope()); !strings.HasPrefix(got, "a ") {
		t.Errorf("the owner got %q, want a first", got)
	}
}

// Invariant 9, RD-27.3, RD-34.4: which of more matches than are ranked come first is decided by
// what the scope shows; changes of hidden fields bring no other record among them.
func TestHiddenChangesChooseNoCandidates(t *testing.T) {
	t.Parallel()
	for name, bound := range map[string]*TimeBound{"whole": nil, "within a time": {Field: "at", Since: new(began.AddDate(-1, 0, 0))}} {
		s := newShelf(t, "c")
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}, Time: bound}}}
		write := func(first, n int, more string) {
			var records []string
			for i := first; i < first+n; i++ {
				records = append(records, fmt.Sprintf("%04d", i), fmt.Sprintf(`{"id":"%d","title":"red","at":"2026-01-01T00:00:00Z"%s}`, i, more))
			}
			s.put("c", "notes", records...)
		}
		told := func() string {
			keys, last := s.ranked(scope, Search{Text: "red", Limit: 100})
			return fmt.Sprint(last.Matches, last.Complete, keys)
		}
		write(0, MostCandidates+300, "")
		want := told()
		if strings.Contains(want, "0299 ") || !strings.Contains(want, "0300") {
			t.Fatalf("%s: got %.80s, want the newest %d", name, want, MostCandidates)
		}
		s.now = s.now.Add(time.Hour)
		write(0, 20, `,"body":"red"`)
		write(700, 300, `,"n":1`)
		if got := told(); got != want {
			t.Errorf("%s: got %.160s, want %.160s as before", name, got, want)
		}
		write(5, 1, `,"n":2`)
		s.put("c", "notes", "0007", `{"id":"7","title":"red red","at":"2026-01-01T00:00:00Z"}`)
		if got := told(); !strings.Contains(got, "[0007 ") || strings.Contains(got, "0005") || strings.Contains(got, "0300 ") {
			t.Errorf("%s: got %.160s, want the record first that changed where it is seen, in the place of the oldest", name, got)
		}
	}
}

// RD-27.3: a search ends where no match follows as many as were read at once, all of which have changed
// where nothing is seen.
func TestRankOfOneMoreThanAreRanked(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	for _, more := range []string{"", `,"n":1`} {
		var records []string
		for i := range MostCandidates + 1 {
			records = append(records, fmt.Sprintf("%04d", i), fmt.Sprintf(`{"id":"%d","title":"red"%s}`, i, more))
		}
		s.put("c", "notes", records...)
		page, err := s.Rank(t.Context(), scope, Search{Text: "red"})
		s.ok(err)
		if page.Matches != MostCandidates || page.Complete {
			t.Errorf("got %d matches, complete %v, want %d, and one more that was not ranked", page.Matches, page.Complete, MostCandidates)
		}
	}
}

// RD-09.5, RD-27.4: a page of a search with a filter has nothing of a stream that lost the field
// of the filter since the page before.
func TestFilteredPagesLearnNoStream(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","n":1,"title":"red red red"}`, "b", `{"id":"b","n":1,"title":"red x y"}`)
	s.put("d", "notes", "lost", `{"id":"lost","n":1,"title":"red red"}`)
	q := Search{Text: "red", Streams: []string{"notes"}, Filters: []Filter{{Field: "n", Op: Equal, Value: "1"}}, Limit: 1}
	first, err := s.Rank(t.Context(), OwnerScope(), q)
	s.ok(err)
	if len(first.Hits) != 1 || first.Hits[0].Key != "a" || first.Matches != 3 {
		t.Fatalf("got %+v, want a of three", first)
	}
	s.accept("d", strings.Replace(manifest, `"n":{"type":"integer"}`, `"other":{"type":"integer"}`, 1))
	q.Cursor = first.Next
	if got, _ := s.ranked(OwnerScope(), q); strings.Join(got, " ") != "b" {
		t.Errorf("got %q, want b alone", got)
	}
}
